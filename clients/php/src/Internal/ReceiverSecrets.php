<?php

declare(strict_types=1);

namespace Sealpost\Internal;

use Sealpost\Event\Event;
use Sealpost\Event\UnknownEvent;
use Sealpost\IdKind;
use Sealpost\Ids;

/** The webhook secrets of a receiver: each speaks for its own form alone. */
final class ReceiverSecrets
{
    private const BYTES_MIN = 24; // Standard Webhooks: 24 to 64. Fewer means that a part is missing.

    /** @var list<string> */
    public readonly array $all;

    /** @var array<string, list<string>>|null null where one secret is for one form, whichever that is */
    private readonly ?array $forms;

    /**
     * Checks them: one that is malformed would never fit anything. Throws an InvalidArgumentException that shows none.
     *
     * @param string|array<string, string|list<string>> $secrets
     */
    public function __construct(#[\SensitiveParameter] string|array $secrets)
    {
        if (is_string($secrets)) {
            $this->forms = null;
            $this->all = [self::check($secrets, 'secrets')];
            return;
        }
        if ($secrets === []) {
            throw new \InvalidArgumentException('secrets must be the webhook secret of one form, or an array with those of each form by its id');
        }
        $forms = [];
        foreach ($secrets as $formId => $own) {
            // Not shown: it could be a secret that came to the place of the id.
            if (!Ids::is(IdKind::Form, $formId)) {
                throw new \InvalidArgumentException('secrets has a name that is not the id of a form, form_…');
            }
            $forms[$formId] = self::checkForm($formId, $own);
        }
        $all = array_merge(...array_values($forms));
        if (array_unique($all) !== $all) {
            throw new \InvalidArgumentException('secrets has one secret twice: each belongs to one form');
        }
        [$this->forms, $this->all] = [$forms, $all];
    }

    /**
     * Those of the form that an event names: no other form's secret speaks for it.
     *
     * @return list<string>
     */
    public function of(Event $event): array
    {
        return $this->forms === null ? $this->all : $this->forms[self::formIdOf($event) ?? ''] ?? [];
    }

    /** @return list<string> */
    private static function checkForm(string $formId, #[\SensitiveParameter] mixed $own): array
    {
        if (is_string($own)) {
            return [self::check($own, "secrets[$formId]")];
        }
        if (!is_array($own) || $own === []) {
            throw new \InvalidArgumentException("secrets[$formId] has no webhook secret");
        }
        $checked = [];
        foreach (array_values($own) as $place => $secret) {
            $checked[] = self::check($secret, "secrets[$formId][$place]");
        }
        return $checked;
    }

    private static function check(#[\SensitiveParameter] mixed $secret, string $name): string
    {
        $isPrefixed = is_string($secret) && str_starts_with($secret, 'whsec_');
        $key = $isPrefixed ? Base64::decode(substr($secret, strlen('whsec_'))) : null;
        if ($key === null || strlen($key) < self::BYTES_MIN) {
            throw new \InvalidArgumentException("$name is not a webhook secret: whsec_ and base64, without blanks or line breaks");
        }
        return $secret;
    }

    /** The form's id also of an event that this version does not know; null where it names none. */
    private static function formIdOf(Event $event): ?string
    {
        if (!$event instanceof UnknownEvent) {
            return $event->form->id;
        }
        $form = $event->body['form'] ?? null;
        $id = is_array($form) ? $form['id'] ?? null : null;
        return is_string($id) ? $id : null;
    }
}
