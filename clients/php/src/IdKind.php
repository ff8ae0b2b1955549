<?php

declare(strict_types=1);

namespace Sealpost;

/** The value is the id's prefix. */
enum IdKind: string
{
    case Form = 'form';
    case Submission = 'sub';
    case ApiKey = 'key';
    case Delivery = 'dlv';
    case Event = 'evt';
    case Account = 'acc';
    case File = 'fil';
}
