<?php

declare(strict_types=1);

namespace Sealpost;

/** The server can't be reached, was silent for too long, or its answer ended early. */
final class ConnectionError extends \RuntimeException
{
}
