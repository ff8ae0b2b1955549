<?php

declare(strict_types=1);

namespace Sealpost;

use Sealpost\Internal\Calls;
use Sealpost\Internal\Paging;

/** Submissions of the account's forms. Made by Client. `$start` and `$end` are times of `receivedAt`, in milliseconds. */
final class Submissions
{
    private const IDS_MAX = 1000;
    /** Answers of one export: a proxy that ends each after a part of it is asked so often. */
    private const EXPORT_ANSWERS_MAX = 10_000;

    /** @internal */
    public function __construct(private readonly Calls $calls)
    {
    }

    /** One page, newest first, received from `$start` to `$end`. */
    public function list(
        string $formId,
        int $limit = 50,
        ?string $cursor = null,
        ?int $start = null,
        ?int $end = null,
    ): SubmissionPage {
        $query = ['limit' => $limit, 'cursor' => $cursor, 'from' => $start, 'to' => $end];
        $page = $this->calls->call('GET /api/forms/{form_id}/submissions', ['form_id' => $formId], $query);
        $submissions = array_map(static fn (mixed $value): Submission => Submission::parse($value), $page['submissions']);
        return new SubmissionPage($submissions, $page['total'], $page['nextCursor']);
    }

    /**
     * All of them, newest first, page after page as you consume them. `export` is cheaper for many.
     *
     * @return \Generator<int, Submission>
     */
    public function all(string $formId, ?int $start = null, ?int $end = null): \Generator
    {
        return Paging::each(function (?string $cursor) use ($formId, $start, $end): array {
            $page = $this->list($formId, 100, $cursor, $start, $end);
            return [$page->submissions, $page->nextCursor];
        });
    }

    public function get(string $formId, string $submissionId): Submission
    {
        $path = ['form_id' => $formId, 'submission_id' => $submissionId];
        return Submission::parse($this->calls->call('GET /api/forms/{form_id}/submissions/{submission_id}', $path)['submission']);
    }

    /**
     * All of them in one streamed answer, oldest first. `$after` continues after the submission of this id. Where a proxy has ended the
     * answer at the end of a line, so that it looks whole, the rest is asked for.
     *
     * @return \Generator<int, Submission>
     */
    public function export(string $formId, ?int $start = null, ?int $end = null, ?string $after = null): \Generator
    {
        $first = null;
        $place = 0;
        $isAskedAgain = false;
        for ($answers = 0; $answers < self::EXPORT_ANSWERS_MAX; $answers++) {
            $query = ['from' => $start, 'to' => $end, 'after' => $after];
            $lines = $this->calls->lines('GET /api/forms/{form_id}/submissions/export', ['form_id' => $formId], $query);
            $before = $place;
            foreach ($lines as $line) {
                $submission = Submission::parse($line);
                if ($answers > 0 && $submission->id === $first) {
                    throw new ApiError("The server gave $first twice", 200);
                }
                yield $place++ => $submission;
                $first ??= $submission->id;
                $after = $submission->id;
            }
            // The last one may have been deleted since the answer began: then nothing more is named.
            $expected = $lines->getReturn()['sealpost-last-submission'] ?? null;
            $isEmpty = $place === $before;
            if ($expected === null ? $isEmpty : $expected === $after) {
                return;
            }
            if ($isEmpty && $isAskedAgain) {
                throw new ApiError("The server's answer ended twice before its first line", 200);
            }
            $isAskedAgain = $isEmpty;
        }
        throw new ApiError("The server's export has no end", 200);
    }

    /**
     * The export, each submission opened with whichever of `$keys` fits, or with why it could not be.
     *
     * @param list<OpeningKey> $keys
     * @return \Generator<int, OpenedSubmission>
     */
    public function open(
        string $formId,
        array $keys,
        ?int $start = null,
        ?int $end = null,
        ?string $after = null,
        ?bool $acceptPlain = null,
    ): \Generator {
        foreach ($this->export($formId, $start, $end, $after) as $submission) {
            // A server could name another form; the payload is bound to the one that was asked for.
            $result = $submission->formId === $formId
                ? Opening::openSubmission($submission, $keys, acceptPlain: $acceptPlain)
                : throw new ApiError("The server's answer holds a submission of another form", 200);
            yield new OpenedSubmission($submission, $result);
        }
    }

    /**
     * Seals fields to the form's newest RSA key, which the server names. With `$expectedFingerprint`, known from elsewhere, it throws
     * an InvalidArgumentException, and seals nothing, when the server names another key.
     *
     * @param array<array-key, mixed> $fields
     */
    public function prepare(
        string $formId,
        #[\SensitiveParameter] array $fields,
        ?string $expectedFingerprint = null,
    ): PreparedSubmission {
        $form = $this->calls->call('GET /api/forms/{form_id}/public', ['form_id' => $formId])['form'];
        $key = PublicKey::parse($form['publicKey']);
        if ($expectedFingerprint !== null && $key->fingerprint !== $expectedFingerprint) {
            throw new \InvalidArgumentException('The server names another key than the expected one: nothing was sealed');
        }
        $id = Ids::create(IdKind::Submission);
        $payload = Sealing::seal($fields, $key, $formId, $form['keyVersion'], $id);
        return new PreparedSubmission($id, $formId, $form['keyVersion'], $payload);
    }

    /** Sends it, again after a lost connection: the server takes one id once. It can be called again too. */
    public function send(PreparedSubmission $prepared): AcceptedSubmission
    {
        $body = ['id' => $prepared->id, 'payload' => $prepared->payload, 'keyVersion' => $prepared->keyVersion];
        $path = ['form_id' => $prepared->formId];
        $answer = $this->calls->call('POST /api/forms/{form_id}/submissions', $path, body: $body, isRepeatable: true)['submission'];
        return new AcceptedSubmission($answer['id'], $answer['timestamp'], $answer['receivedAt']);
    }

    /** The submissions in the form's bin, the latest first, page after page. @return \Generator<int, Submission> */
    public function bin(string $formId): \Generator
    {
        $operation = 'GET /api/forms/{form_id}/submissions/bin';
        foreach (Paging::eachOf($this->calls, $operation, 'submissions', ['form_id' => $formId]) as $value) {
            yield Submission::parse($value, isBinned: true);
        }
    }

    /** Moves these to the form's bin; where its `binDays` is 0 they are deleted. How many there were. @param list<string> $ids */
    public function moveToBin(string $formId, array $ids): int
    {
        return $this->sumOfParts('POST /api/forms/{form_id}/submissions/bin', $formId, $ids, 'binned', ['submissionsBinned', 'submissionsDeleted']);
    }

    /** Restores these from the form's bin. How many there were. @param list<string> $ids */
    public function restore(string $formId, array $ids): int
    {
        return $this->sumOfParts('POST /api/forms/{form_id}/submissions/bin/restore', $formId, $ids, 'restored', ['submissionsRestored']);
    }

    /** Deletes for good what was moved to the form's bin before this time, or all of it. How many there were. */
    public function emptyBin(string $formId, ?int $before = null): int
    {
        $query = ['confirm' => 'EMPTY_BIN', 'before' => $before];
        $answer = $this->calls->call('DELETE /api/forms/{form_id}/submissions/bin', ['form_id' => $formId], $query);
        return $answer['deleted']['submissionsDeleted'];
    }

    /** Deletes one for good, at once. */
    public function delete(string $formId, string $submissionId): void
    {
        $path = ['form_id' => $formId, 'submission_id' => $submissionId];
        $this->calls->call('DELETE /api/forms/{form_id}/submissions/{submission_id}', $path);
    }

    /** Deletes these for good. How many there were. @param list<string> $ids */
    public function deleteMany(string $formId, array $ids): int
    {
        return $this->sumOfParts('POST /api/forms/{form_id}/submissions/delete', $formId, $ids, 'deleted', ['submissionsDeleted']);
    }

    /**
     * Deletes those of these for good that are in the form's bin; what was restored is left. How many there were.
     *
     * @param list<string> $ids
     */
    public function deleteBinned(string $formId, array $ids): int
    {
        $more = ['onlyInBin' => true];
        return $this->sumOfParts('POST /api/forms/{form_id}/submissions/delete', $formId, $ids, 'deleted', ['submissionsDeleted'], $more);
    }

    /** Deletes for good what was received before this time. How many there were. */
    public function deleteBefore(string $formId, int $before): int
    {
        $query = ['confirm' => 'DELETE_SUBMISSIONS', 'before' => $before];
        $answer = $this->calls->call('DELETE /api/forms/{form_id}/submissions', ['form_id' => $formId], $query);
        return $answer['deleted']['submissionsDeleted'];
    }

    /**
     * The sum of these counts in an answer's member, over as many requests as the ids take.
     *
     * @param list<string> $ids
     * @param list<string> $counts
     * @param array<string, bool> $more of the body
     */
    private function sumOfParts(string $operation, string $formId, array $ids, string $member, array $counts, array $more = []): int
    {
        $sum = 0;
        foreach (array_chunk(array_values($ids), self::IDS_MAX) as $part) {
            $answer = $this->calls->call($operation, ['form_id' => $formId], body: ['ids' => $part, ...$more]);
            $sum += array_sum(array_intersect_key($answer[$member], array_flip($counts)));
        }
        return $sum;
    }
}
