<?php

declare(strict_types=1);

namespace Sealpost;

enum NotVerifiedReason: string
{
    case MissingHeader = 'missing_header';
    case InvalidSignature = 'invalid_signature';
    case TimestampOutOfTolerance = 'timestamp_out_of_tolerance';
    case MalformedBody = 'malformed_body';
    /** The event names a form, and is signed with the secret of another one. */
    case WrongForm = 'wrong_form';
}
