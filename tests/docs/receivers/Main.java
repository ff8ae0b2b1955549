import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Scanner;

/** Java reads no JSON: a line for each question, its parts as base64 between spaces. A line for each answer, an opened text as base64. */
final class Main {
    public static void main(String[] arguments) throws Exception {
        Map<String, PrivateKey> keys = new HashMap<>();
        Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
        while (lines.hasNextLine()) {
            String[] encoded = lines.nextLine().split(" ", -1);
            byte[][] parts = new byte[encoded.length][];
            for (int index = 1; index < parts.length; index++) parts[index] = Base64.getDecoder().decode(encoded[index]);
            switch (encoded[0]) {
                case "key" -> keys.put(text(parts[1]), Open.privateKey(members(parts, 2)));
                case "verify" -> System.out.println(Verify.verify(text(parts[1]), members(parts, 3), parts[2]));
                case "open" -> System.out.println(open(keys.get(text(parts[1])), parts));
                default -> throw new IllegalArgumentException(encoded[0]);
            }
        }
    }

    private static String open(PrivateKey key, byte[][] parts) {
        int keyVersion = Integer.parseInt(text(parts[4]));
        String opened = Open.openSubmission(key, text(parts[2]), text(parts[3]), keyVersion, members(parts, 5));
        return opened == null ? "-" : "+" + Base64.getEncoder().encodeToString(opened.getBytes(StandardCharsets.UTF_8));
    }

    private static Map<String, String> members(byte[][] parts, int from) {
        Map<String, String> members = new HashMap<>();
        for (int index = from; index < parts.length; index += 2) members.put(text(parts[index]), text(parts[index + 1]));
        return members;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
