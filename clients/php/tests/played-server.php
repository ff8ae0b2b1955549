<?php

declare(strict_types=1);

/**
 * A server on loopback that answers as a test says (PlayedServer.php): a line of JSON with the answers on standard input; on standard
 * output its port, and then each request, before it is answered, a line of JSON.
 */
$answers = json_decode((string) fgets(STDIN), true);
$server = stream_socket_server('tcp://127.0.0.1:0') ?: exit(1);
fwrite(STDOUT, substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1) . "\n");
while ($connection = stream_socket_accept($server, -1)) {
    [$lines, $headers] = [[], []];
    while (($line = rtrim((string) fgets($connection), "\r\n")) !== '') {
        $lines[] = $line;
    }
    foreach (array_slice($lines, 1) as $line) {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = trim($value);
    }
    $body = stream_get_contents($connection, (int) ($headers['content-length'] ?? 0));
    [$method, $path] = explode(' ', $lines[0] ?? ' ');
    fwrite(STDOUT, json_encode(['method' => $method, 'path' => $path, 'headers' => $headers, 'body' => $body]) . "\n");
    fwrite($connection, array_shift($answers) ?? "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
    fclose($connection);
}
