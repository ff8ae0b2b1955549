"""
Answers of the API as its document describes them (`/api/openapi.json`). A newer server may add members.

Numbers that are times are milliseconds since the Unix epoch; times as text are ISO 8601 in UTC.

Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.
"""

from typing import Any, Literal, NotRequired, TypedDict


class AccountNotifications(TypedDict):
    """Whether email notices are sent about the account and its forms."""

    mail: bool
    """
    Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails
    have no content.
    """
    available: bool
    """Whether this instance sends emails at all: its operator has set it up."""
    storage: bool
    """Whether owners get an email when the account's storage, or its audit log, is nearly full or full."""


class FormUsage(TypedDict):
    """What the submissions of a form take."""

    id: str
    """`form_…`."""
    name: str
    bytes: int
    submissionCount: int


class SharingOrganization(TypedDict):
    """An organization that you own."""

    id: str
    """`acc_…`."""
    name: str
    bytes: int
    otherBytes: int


class AccountUsageShared(TypedDict):
    countsFor: Literal["you", "owner", "former_owner"]
    """
    The person for whom it counts. `owner`: one of its owners, another one where a session asks. `former_owner`:
    somebody who is no owner any more; it has a `bytesMax` of its own then, until an owner takes over its usage.
    """
    name: str | None
    """That person's, for owners with a session; null for others, and where that person is no member any more."""
    percent: int
    """Of `bytesMax`, by all organizations that share it."""
    otherPercent: int
    """Of the quarter for everything but submissions, by all that share it."""
    organizations: list[SharingOrganization]
    """
    Those that share it and that you own, for owners with a session; the fullest first. Empty for `former_owner`, which
    shares it with none.
    """


class AccountUsage(TypedDict):
    bytes: int
    otherBytes: int
    logBytes: int
    bytesMax: int | None
    """Bytes; null where nothing limits them."""
    formBytesMax: int | None
    """Bytes; null where nothing limits them."""
    forms: list[FormUsage]
    """The 100 fullest forms, the fullest first."""
    shared: AccountUsageShared | None
    """
    With which organizations it shares `bytesMax`; null where nothing limits it, and where its plan gives it room of its
    own.
    """


class ApiKeyMaker(TypedDict):
    """The person who made it, whose role bounds what it may do."""

    id: str
    """`acc_…`"""
    name: str


class ApiKeyListItem(TypedDict):
    """An API key without its value."""

    id: str
    """The key's id, `key_…`."""
    name: str
    """What the key is for."""
    prefix: str
    """The first 10 characters of the key, to tell keys apart."""
    permissions: list[str]
    """One of the texts in the API reference; a newer server may have more."""
    forms: NotRequired[list[str]]
    """The forms that the key is limited to, and that its maker reaches. Absent: all that its maker reaches."""
    expiresAt: NotRequired[str]
    """When the key ends: from then on it is refused. Absent: never."""
    createdAt: str
    lastUsed: str | None
    """When the key was last used, exact to a minute; null when it never was."""
    maker: ApiKeyMaker


class ApiKeyList(TypedDict):
    """The account's API keys."""

    keys: list[ApiKeyListItem]
    total: int


class SessionActor(TypedDict):
    type: Literal["session"]
    id: str
    """The session's id."""
    personId: str
    """The person who had the session, `acc_…`."""


class ApiKeyActor(TypedDict):
    type: Literal["api_key"]
    id: str
    """The key's id, `key_…`."""


class OperatorActor(TypedDict):
    type: Literal["operator"]
    personId: NotRequired[str]
    """The person, `acc_…`; none for the command line on the server."""


class NobodyActor(TypedDict):
    type: Literal["nobody"]


class FormTarget(TypedDict):
    type: Literal["form"]
    id: str
    name: str
    """The name that it had then."""


class ApiKeyTarget(TypedDict):
    type: Literal["api_key"]
    id: str
    name: str
    """The name that it had then."""


class SessionTarget(TypedDict):
    type: Literal["session"]
    id: str


class MemberTarget(TypedDict):
    type: Literal["member"]
    id: str
    name: str
    """The name that it had then."""


class InvitationTarget(TypedDict):
    type: Literal["invitation"]
    id: str


class AuditEntryDetailsCounts(TypedDict, total=False):
    """
    How many lists, single submissions (`opened`) and exports were asked for and how many submissions they held; how
    many passwords and codes were wrong; how many sessions a restore ended, and how many API keys it brought back or
    revoked.
    """

    lists: int
    opened: int
    exports: int
    submissions: int
    passwords: int
    codes: int
    sessions: int
    keysRestored: int
    keysRevoked: int
    entries: int


class AuditEntryDetails(TypedDict, total=False):
    """More about it. Never anything that was submitted."""

    changes: list[dict[str, Any]]
    """The changed settings, with old and new values."""
    since: int
    """When what is counted began, in milliseconds."""
    backupAt: int
    """Of a restore: when the backup was made, in milliseconds."""
    counts: AuditEntryDetailsCounts


class AuditEntry(TypedDict):
    """One thing that was done."""

    id: str
    """`aud_…`."""
    timestamp: int
    action: str
    """One of the texts in the API reference; a newer server may have more."""
    actor: SessionActor | ApiKeyActor | OperatorActor | NobodyActor
    """
    Who did it: a session or an API key of the account, an operator of the instance, or somebody who was not let in.
    """
    target: NotRequired[FormTarget | ApiKeyTarget | SessionTarget | MemberTarget | InvitationTarget]
    """What it was done to, if not to the account."""
    count: NotRequired[int]
    """How many submissions."""
    details: NotRequired[AuditEntryDetails]


class AuditLogHead(TypedDict):
    """
    The end of the chain of entries. Keep it outside of the service: a later export that still has it proves that
    nothing up to there was changed or removed (`sealpost verify-log`).
    """

    sequence: int
    """How many entries there ever were."""
    hash: str
    """SHA-256 in hexadecimal digits."""


class RemovedAuditEntries(TypedDict):
    """How many entries were removed, for their age or by an owner, always the oldest, and the time of the last one."""

    count: int
    timestamp: int


class AuditLog(TypedDict):
    """A page of entries, newest first."""

    entries: list[AuditEntry]
    nextCursor: str | None
    """Hand this as `cursor` to get the next page; null on the last."""
    head: AuditLogHead
    removed: NotRequired[RemovedAuditEntries]


class ApiKey(TypedDict):
    id: str
    """The key's id, `key_…`."""
    name: str
    """What the key is for."""
    key: str
    """The key itself, `sp_…`. Shown in this one answer; only its hash is kept."""
    permissions: list[str]
    """One of the texts in the API reference; a newer server may have more."""
    forms: NotRequired[list[str]]
    """The forms that the key is limited to, and that its maker reaches. Absent: all that its maker reaches."""
    expiresAt: NotRequired[str]
    """When the key ends: from then on it is refused. Absent: never."""
    createdAt: str


class CreatedApiKey(TypedDict):
    """The new API key with its value, this one time."""

    key: ApiKey
    warning: str
    warningCode: str
    """
    The code of the sentence, for programs that branch on it and pages that translate it. `/docs/codes` lists all; there
    may be more one day, and none ever goes.
    """


class PublicKey(TypedDict):
    """An RSA public key as JWK (RFC 7517), exactly these members."""

    kty: Literal["RSA"]
    n: str
    """The modulus, base64url."""
    e: str
    """The public exponent, base64url; always AQAB."""


class PrivateKey(TypedDict):
    """The private key as JWK. Shown in this one answer and never kept: who loses it loses the submissions."""

    kty: Literal["RSA"]
    n: str
    e: str
    d: str
    p: str
    q: str
    dp: str
    dq: str
    qi: str


class HybridPublicKey(TypedDict):
    """A hybrid public key as JWK, against quantum computers (packages/wire/SPECIFICATION.md, section 2)."""

    kty: Literal["AKP"]
    alg: Literal["MLKEM768-X25519"]
    pub: str
    """ML-KEM-768's and X25519's public keys, 1,216 bytes, base64url."""


class HybridPrivateKey(TypedDict):
    """The hybrid private key as JWK. Shown in this one answer and never kept, as `privateKey`."""

    kty: Literal["AKP"]
    alg: Literal["MLKEM768-X25519"]
    pub: str
    priv: str
    """The seed, 32 bytes, base64url."""


WebhookRedirects = Literal["post", "get"]
"""
How a 302 or 303 of the webhook's receiver is followed. `post`: the event is posted again at its target, so that a page
at the end of a redirect, to a sign-in, say, never counts as delivered. `get`: the target is asked for without the
event, and its 2xx counts; for receivers that answer by redirect, such as Google Apps Script.
"""


class FormSettings(TypedDict):
    """All settings of a form."""

    encryption: bool
    """Accept only submissions that were sealed in the browser."""
    piiStrip: bool
    """Strip common patterns of personal data before sealing."""
    webhookUrl: str | None
    """Where events are posted, an HTTPS URL; null for nowhere."""
    webhookRedirects: WebhookRedirects
    allowedOrigins: list[str]
    """Origins whose pages may submit: `*`, exact ones, or `https://*.example.com`."""
    country: str | None
    """
    The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such
    as DE); null for none in particular.
    """
    piiTypes: list[str] | None
    """The types of personal data that `piiStrip` strips; null for all."""
    submissionBytesMax: int
    """
    The most bytes that the body of one submission may have. With encryption at least 3072, with a hybrid key 4096: an
    empty sealed submission takes nearly as much.
    """
    submissionsPerHour: int | None
    """How many submissions the form takes in an hour; null for any number."""
    binDays: int
    """For how many days submissions that were moved to the bin can be restored; 0 deletes at once."""


class CreatedForm(TypedDict):
    """
    `privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid
    keys only where they were asked for.
    """

    id: str
    """The form's id."""
    name: str
    """Unique in the account, whatever the case."""
    createdAt: int
    publicKey: PublicKey
    privateKey: NotRequired[PrivateKey]
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridPrivateKey: NotRequired[HybridPrivateKey]
    settings: FormSettings


Role = Literal["owner", "manager", "reader", "developer", "auditor"]
"""
`owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions
of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and
the audit log.
"""


class Invitation(TypedDict):
    """An invitation that can be accepted."""

    id: str
    """The invitation's id, `inv_…`."""
    email: str
    role: Role
    forms: list[str] | None
    """The ids of the forms that the role is for; null for all of the organization."""
    invitedBy: str
    """The person's id, `acc_…`."""
    createdAt: int
    expiresAt: int


class CreatedInvitation(TypedDict):
    """The new invitation with its link, this one time."""

    invitation: Invitation
    url: str
    """The link to accept with. Shown in this one answer; only a hash is kept."""
    mailed: bool
    """Whether it is also sent to the address."""


class Delivery(TypedDict):
    """One event on its way to a webhook URL."""

    id: str
    """The delivery's id, as in `X-Service-Delivery-Id`."""
    event: str
    """One of the texts in the API reference; a newer server may have more."""
    timestamp: int
    """When the event happened, in milliseconds since the Unix epoch."""
    status: Literal["success", "failed"]
    statusCode: NotRequired[int]
    """What the receiver answered; absent when nothing answered."""
    duration: NotRequired[int]
    """Milliseconds of the last request."""
    error: NotRequired[str]
    """What went wrong."""
    errorCode: NotRequired[str]
    """The code of `error`, for programs and translations: `/docs/codes` lists all."""
    retryCount: int
    """Attempts after the first."""
    nextAttemptAt: NotRequired[int]
    """There while another attempt is due: when, in milliseconds."""
    test: NotRequired[Literal[True]]
    """There on test deliveries."""


class DeliveryAttempt(TypedDict):
    """One request of a delivery."""

    number: int
    """Which of the six tries. The same again on a request that repeats the one before it: see `repeatReason`."""
    startedAt: int
    duration: NotRequired[int]
    """Milliseconds; absent when it was cut short."""
    statusCode: NotRequired[int]
    """What the receiver answered; absent when nothing answered."""
    error: NotRequired[str]
    """What went wrong."""
    errorCode: NotRequired[str]
    """The code of `error`, for programs and translations: `/docs/codes` lists all."""
    url: str
    """Where it went: the webhook URL, or a redirect's target."""
    repeatReason: NotRequired[Literal["connection_closed", "secret_refused", "interrupted"]]
    """
    There on a request that was made again within the same try, which uses up none of the six: the connection that was
    kept from an earlier request was closed before an answer came, the receiver refused the secret and another one is
    valid, or the service was stopped.
    """


class DeliveryDetail(Delivery):
    """A delivery with its attempts and the body that was sent."""

    attempts: list[DeliveryAttempt]
    body: NotRequired[str | None]
    """
    The exact text that was signed and sent; null once its submission was deleted, also while it is still to be sent.
    Needs the permission `submissions:read` as well.
    """


class DeliveryLog(TypedDict):
    """A page of deliveries, newest first."""

    logs: list[Delivery]
    nextCursor: str | None
    """Hand this as `cursor` to get the next page; null on the last."""


class Envelope(TypedDict):
    """The newest revision of an envelope with private keys of a form."""

    lowestVersion: int
    """The first of the 32 key versions that it is for: 1, 33, 65 …"""
    revision: int
    """Its content has to say the same number."""
    hash: str
    """SHA-256 of its bytes, base64url: what the next revision names."""
    bytes: int
    createdAt: int


class EnvelopeRevision(TypedDict):
    """A revision of an envelope that the service still has."""

    revision: int
    hash: str
    """SHA-256 of its bytes, base64url."""
    bytes: int
    createdAt: int
    writerId: str
    """Id of the person who stored it, or who made the API key that did. Nothing signs that."""


class EnvelopeRevisionList(TypedDict):
    """Revisions of an envelope, newest first."""

    revisions: list[EnvelopeRevision]
    nextCursor: str | None
    """Hand this as `cursor` to get the next page; null on the last."""


class RefusedVisitors(TypedDict):
    """
    Requests of visitors that the form refused for one cause, in milliseconds since the Unix epoch. Anybody can make
    such a request: it says what was seen, and not that a page of yours is wrong.
    """

    cause: Literal["old_key", "origin", "unsealed", "too_large", "hourly_limit", "form_markup", "trapped"]
    """
    `old_key`: the page's snippet pins a former key (`reportRefusedKey`). `origin`: a page of an origin that
    `allowedOrigins` does not name. `unsealed`: answers that were not sealed, by a form without script, say, for a form
    that takes sealed ones alone. `too_large`: more bytes than `submissionBytesMax`, or than the service takes.
    `hourly_limit`: more than `submissionsPerHour`. `form_markup`: an HTML form with files, without a field that counts,
    with too many fields, or of another method or encoding. `trapped`: an HTML form from a browser with the field
    `_gotcha` filled in, which has to stay empty. A newer service may have more.
    """
    since: int
    """When it was first seen with the settings, or the key, that the form has now."""
    lastAt: int
    """When it was seen last."""


class FormHoldSetter(TypedDict):
    id: str
    """The person's id, `acc_…`."""
    name: str


class FormHold(TypedDict):
    """A legal hold: while it lasts, nothing of the form is deleted."""

    since: int
    setBy: FormHoldSetter | None
    """Who set it; null if that person's account is gone."""
    reason: str | None
    """The text of who set it. Everybody who sees the form sees it."""
    until: int | None
    """When owners are reminded to look whether it is still needed. It does not end by itself."""


class Form(TypedDict):
    """A form with all its settings."""

    id: str
    """The form's id."""
    name: str
    """Unique in the account, whatever the case."""
    createdAt: int
    updatedAt: int
    submissionCount: int
    """Submissions stored now."""
    keyProof: Literal["proved", "unproved"]
    """Whether somebody has said that the newest private key opened something (`proveFormKey`)."""
    publicKey: PublicKey
    settings: FormSettings
    embedCode: str
    """
    The HTML to paste into the page that holds the form. It names no key: to pin one, name it in the script's
    `data-sealpost-options` and in the call (`/docs/embed`).
    """
    refusedVisitors: NotRequired[list[RefusedVisitors]]
    """
    There while visitors are refused, one for each cause; not there once none was seen for a day, nor right after a
    start of the service.
    """
    hold: NotRequired[FormHold]
    webhookSecretKnownSince: NotRequired[int]
    """
    There while an organization that had the form before knows the secret that signs its webhooks: since when, in
    milliseconds since the Unix epoch. A rotation ends it, and so does another webhook address, for which no secret
    signs that such an organization knows.
    """


class FormKey(TypedDict):
    """One version of the form's public key."""

    version: int
    publicKey: PublicKey
    fingerprint: str
    """RFC 7638 thumbprint (SHA-256, base64url)."""
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridFingerprint: NotRequired[str]
    """Thumbprint of the hybrid public key."""
    createdAt: int
    madeBy: Literal["owner", "service"]
    """Who made the pair."""
    provedAt: int | None
    """When somebody first said that the private key opened something; null until then."""
    closesAt: NotRequired[int]
    """
    From when on nothing that is sealed to this version is taken, in milliseconds since the Unix epoch; not there while
    it is taken without end (`closeFormKeys`).
    """


class FormListItemSettings(TypedDict):
    encryption: bool
    """Accept only submissions that were sealed in the browser."""
    piiStrip: bool
    """Strip common patterns of personal data before sealing."""


class FormListItem(TypedDict):
    """A form as lists show it."""

    id: str
    """The form's id."""
    name: str
    """Unique in the account, whatever the case."""
    createdAt: int
    submissionCount: int
    """Submissions stored now."""
    receivedCount: int
    """Submissions that ever came, deleted ones too."""
    lastReceivedAt: int | None
    """When the newest of the stored submissions came; null without any."""
    keyProof: Literal["proved", "unproved"]
    """Whether somebody has said that the newest private key opened something (`proveFormKey`)."""
    publicKey: PublicKey
    settings: FormListItemSettings
    refusedVisitors: NotRequired[list[RefusedVisitors]]
    """
    There while visitors are refused, one for each cause; not there once none was seen for a day, nor right after a
    start of the service.
    """
    held: NotRequired[Literal[True]]
    """There, and true, while the form is under a legal hold."""


class FormList(TypedDict):
    """A page of forms, newest first."""

    forms: list[FormListItem]
    total: int
    """All forms of the account."""
    nextCursor: str | None
    """Hand this as `cursor` to get the next page; null on the last."""


class FormSettingsInput(TypedDict, total=False):
    encryption: bool
    """Accept only submissions that were sealed in the browser."""
    piiStrip: bool
    """Strip common patterns of personal data before sealing."""
    webhookUrl: str | None
    """
    An HTTPS URL of at most 2,048 characters without user name and password, white space, backslashes and characters
    that are not seen, whose host is not in a private network; null for nowhere. A host with letters beyond ASCII is
    stored by its ASCII name (`xn--…`).
    """
    webhookRedirects: WebhookRedirects
    allowedOrigins: list[str]
    country: str | None
    """
    The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such
    as DE); null for none in particular.
    """
    piiTypes: list[str] | None
    """The types of personal data that `piiStrip` strips; null for all."""
    submissionBytesMax: int
    """
    The most bytes that the body of one submission may have. With encryption at least 3072, with a hybrid key 4096: an
    empty sealed submission takes nearly as much.
    """
    submissionsPerHour: int | None
    """How many submissions the form takes in an hour; null for any number."""
    binDays: int
    """For how many days submissions that were moved to the bin can be restored; 0 deletes at once."""


class InvitationList(TypedDict):
    """The open invitations, the newest first."""

    invitations: list[Invitation]
    total: int


class Member(TypedDict):
    """A person with a role in the organization."""

    id: str
    """The person's id, `acc_…`."""
    name: str
    email: str
    role: Role
    forms: list[str] | None
    """The ids of the forms that the role is for; null for all of the organization."""
    since: int
    addedBy: str | None
    """The person who invited them, `acc_…`; null for who made the organization."""
    disabled: bool
    """Whether the operator keeps them from signing in."""
    secondFactor: bool
    """Whether they have a second factor."""
    unprovenAddress: NotRequired[str]
    """
    The address that was invited, while nobody has proven that it is the person's: until then the membership gives no
    rights.
    """


class MemberList(TypedDict):
    """The members of the organization, the oldest first."""

    members: list[Member]
    total: int


class Notifications(TypedDict):
    """Whether email notices are sent."""

    mail: bool
    """
    Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails
    have no content.
    """
    available: bool
    """Whether this instance sends emails at all: its operator has set it up."""


class Organization(TypedDict):
    """An organization that you belong to."""

    id: str
    """The organization's id, `acc_…`."""
    name: str
    """May be empty."""
    role: Role
    forms: list[str] | None
    """The ids of the forms that the role is for; null for all of the organization."""
    since: int
    current: bool
    """Whether this session acts for it."""
    secondFactorRequiredFrom: int | None
    """From when on it requires a second factor of its members; null: it does not."""
    requireRecovery: bool
    """
    Whether the service takes envelopes only while the signed list of members has a recovery key, and keeps the last one
    in it.
    """
    unprovenAddress: NotRequired[str]
    """
    The address that was invited, while nobody has proven that it is the person's: until then the membership gives no
    rights.
    """
    deletedAt: NotRequired[int]
    """When it is deleted for good, if it is to be: milliseconds since the Unix epoch."""


class OrganizationList(TypedDict):
    """The organizations that you belong to, your own first."""

    organizations: list[Organization]
    total: int
    canCreate: bool
    """Whether you may make another one."""
    secondFactor: bool
    """Whether this session was opened with a second factor."""
    lacksSecondFactor: bool
    """Whether the organization that the session acts for requires one now, and the session has none."""
    deletionsHeldBackUntil: NotRequired[int]
    """
    For owners of the organization that the session acts for, in the days after a backup was restored: until then
    nothing is deleted for its age, so that legal holds and longer retention of since the backup can be set again.
    Milliseconds since the Unix epoch.
    """


class RotatedForm(TypedDict):
    """
    `privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid
    keys only where they were asked for.
    """

    id: str
    """The form's id."""
    publicKey: PublicKey
    privateKey: NotRequired[PrivateKey]
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridPrivateKey: NotRequired[HybridPrivateKey]
    keyVersion: int
    previousKeyVersion: int
    rotatedAt: int


class RotatedWebhookSecret(TypedDict):
    """Until `previousSecretExpiresAt` the secret before is valid too; on `revokePrevious` that is now."""

    secret: str
    """The new secret."""
    previousSecretExpiresAt: int
    earlierSecretsExpireAt: NotRequired[list[int]]
    """There while more than one earlier secret is valid: when each of them ends, the newest first."""


class Session(TypedDict):
    """Somewhere that you are signed in."""

    id: str
    """The session's id, as in the audit log."""
    browser: Literal["edge", "opera", "samsung", "firefox", "chrome", "safari", "program", "other", None]
    """
    The browser's name; `program` for a client that names itself no browser. Null for one that this version does not
    know.
    """
    system: Literal["windows", "android", "chromeos", "ios", "macos", "linux", "other", None]
    """The system's name. Null for one that this version does not know."""
    createdAt: int
    lastUsedAt: int
    """To within five minutes."""
    expiresAt: int
    current: bool
    """Whether it is the session that asks."""


class SessionList(TypedDict):
    """Your sessions, the newest first."""

    sessions: list[Session]
    total: int


class ShortenedAuditLogShortened(TypedDict):
    count: int
    """How many entries are gone, or soon will be: all up to this number."""


class ShortenedAuditLog(TypedDict):
    """Where the audit log begins."""

    shortened: ShortenedAuditLogShortened


class StatisticsDay(TypedDict):
    date: str
    count: int


class StatisticsCounts(TypedDict):
    totalSubmissions: int
    """All that were ever received, deleted ones included."""
    periodSubmissions: int
    avgPerDay: float
    """With two decimals."""
    timeline: list[StatisticsDay]
    """Every UTC day of the period, oldest first, zeros included."""


class Statistics(TypedDict):
    """What the form received, by day."""

    formId: str
    period: Literal["day", "week", "month", "year"]
    stats: StatisticsCounts


class UpdatedForm(TypedDict):
    """The changed form."""

    id: str
    """The form's id."""
    name: str
    """Unique in the account, whatever the case."""
    updatedAt: int
    settings: FormSettings


class WebhookSecret(TypedDict):
    """`previousSecretExpiresAt` is there while the secret before is still valid."""

    secret: str
    """`whsec_` and base64 of 32 bytes."""
    previousSecretExpiresAt: NotRequired[int]
    earlierSecretsExpireAt: NotRequired[list[int]]
    """There while more than one earlier secret is valid: when each of them ends, the newest first."""
