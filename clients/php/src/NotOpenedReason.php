<?php

declare(strict_types=1);

namespace Sealpost;

/** Why fields can't be had (specification, section 7). `NotSealed`: nobody sealed them, and the receiver expects that somebody did. */
enum NotOpenedReason: string
{
    case UnknownVersion = 'unknown_version';
    case NoKey = 'no_key';
    case CouldNotBeOpened = 'could_not_be_opened';
    case NotSealed = 'not_sealed';
}
