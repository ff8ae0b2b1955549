"""Answers of the API as its document describes them (`/api/openapi.json`). A newer server may add members."""

from typing import Any, Literal, NotRequired, TypedDict


class PublicKey(TypedDict):
    kty: Literal["RSA"]
    n: str
    e: str


class PrivateKey(TypedDict):
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
    kty: Literal["AKP"]
    alg: Literal["MLKEM768-X25519"]
    pub: str


class HybridPrivateKey(TypedDict):
    kty: Literal["AKP"]
    alg: Literal["MLKEM768-X25519"]
    pub: str
    priv: str


class FormSettings(TypedDict):
    encryption: bool
    piiStrip: bool
    webhookUrl: str | None
    webhookRedirects: Literal["post", "get"]
    allowedOrigins: list[str]
    country: str | None
    piiTypes: list[str] | None
    submissionBytesMax: int
    submissionsPerHour: int | None
    binDays: int


class FormSettingsInput(TypedDict, total=False):
    """Settings to create or change a form with: any of them."""

    encryption: bool
    piiStrip: bool
    webhookUrl: str | None
    webhookRedirects: Literal["post", "get"]
    allowedOrigins: list[str]
    country: str | None
    piiTypes: list[str] | None
    submissionBytesMax: int
    submissionsPerHour: int | None
    binDays: int


class RefusedVisitors(TypedDict):
    """Visitors of a page are refused: its snippet pins a former key of the form."""

    since: int
    lastAt: int


class FormListItem(TypedDict):
    id: str
    name: str
    createdAt: int
    submissionCount: int
    receivedCount: int
    lastReceivedAt: int | None
    keyProof: Literal["proved", "unproved"]
    publicKey: PublicKey
    settings: dict[str, Any]
    refusedVisitors: NotRequired[RefusedVisitors]
    held: NotRequired[Literal[True]]


class FormList(TypedDict):
    forms: list[FormListItem]
    total: int
    nextCursor: str | None


class Form(TypedDict):
    id: str
    name: str
    createdAt: int
    updatedAt: int
    submissionCount: int
    keyProof: Literal["proved", "unproved"]
    publicKey: PublicKey
    settings: FormSettings
    embedCode: str
    refusedVisitors: NotRequired[RefusedVisitors]
    hold: NotRequired["FormHold"]


class FormHoldSetter(TypedDict):
    id: str
    name: str


class FormHold(TypedDict):
    since: int
    setBy: FormHoldSetter | None
    reason: str | None
    until: int | None


class CreatedForm(TypedDict):
    id: str
    name: str
    createdAt: int
    publicKey: PublicKey
    privateKey: NotRequired[PrivateKey]
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridPrivateKey: NotRequired[HybridPrivateKey]
    settings: FormSettings


class UpdatedForm(TypedDict):
    id: str
    name: str
    updatedAt: int
    settings: FormSettings


class RotatedForm(TypedDict):
    id: str
    publicKey: PublicKey
    privateKey: NotRequired[PrivateKey]
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridPrivateKey: NotRequired[HybridPrivateKey]
    keyVersion: int
    previousKeyVersion: int
    rotatedAt: int


class FormKey(TypedDict):
    version: int
    publicKey: PublicKey
    fingerprint: str
    hybridPublicKey: NotRequired[HybridPublicKey]
    hybridFingerprint: NotRequired[str]
    createdAt: int
    madeBy: Literal["owner", "service"]
    provedAt: int | None
    closesAt: NotRequired[int]


class Envelope(TypedDict):
    lowestVersion: int
    revision: int
    hash: str
    bytes: int
    createdAt: int


class Notifications(TypedDict):
    mail: bool
    available: bool


class Statistics(TypedDict):
    formId: str
    period: Literal["day", "week", "month", "year"]
    stats: dict[str, Any]


class WebhookSecret(TypedDict):
    secret: str
    previousSecretExpiresAt: NotRequired[int]
    earlierSecretsExpireAt: NotRequired[list[int]]


class RotatedWebhookSecret(TypedDict):
    secret: str
    previousSecretExpiresAt: int
    earlierSecretsExpireAt: NotRequired[list[int]]


class Delivery(TypedDict):
    id: str
    event: str
    timestamp: int
    status: Literal["success", "failed"]
    statusCode: NotRequired[int]
    duration: NotRequired[int]
    error: NotRequired[str]
    errorCode: NotRequired[str]
    retryCount: int
    nextAttemptAt: NotRequired[int]
    test: NotRequired[Literal[True]]


class DeliveryAttempt(TypedDict):
    number: int
    startedAt: int
    duration: NotRequired[int]
    statusCode: NotRequired[int]
    error: NotRequired[str]
    errorCode: NotRequired[str]
    url: str
    repeatReason: NotRequired[str]


class DeliveryDetail(Delivery):
    attempts: list[DeliveryAttempt]
    body: NotRequired[str | None]


class DeliveryLog(TypedDict):
    logs: list[Delivery]
    nextCursor: str | None


class ApiKeyMaker(TypedDict):
    """Who made a key, and whose role it follows."""

    id: str
    name: str


class ApiKeyListItem(TypedDict):
    id: str
    name: str
    prefix: str
    permissions: list[str]
    forms: NotRequired[list[str]]
    expiresAt: NotRequired[str]
    createdAt: str
    lastUsed: str | None
    maker: ApiKeyMaker


class ApiKeyList(TypedDict):
    keys: list[ApiKeyListItem]
    total: int


class Session(TypedDict):
    id: str
    browser: str | None
    system: str | None
    createdAt: int
    lastUsedAt: int
    expiresAt: int
    current: bool


class SessionList(TypedDict):
    sessions: list[Session]
    total: int


class CreatedApiKey(TypedDict):
    key: dict[str, Any]
    warning: str
    warningCode: str


Role = Literal["owner", "manager", "reader", "developer", "auditor"]


class Organization(TypedDict):
    id: str
    name: str
    role: Role
    forms: list[str] | None
    since: int
    current: bool
    secondFactorRequiredFrom: int | None
    requireRecovery: bool
    deletedAt: NotRequired[int]


class OrganizationList(TypedDict):
    organizations: list[Organization]
    total: int
    canCreate: bool
    secondFactor: bool
    lacksSecondFactor: bool


class Member(TypedDict):
    id: str
    name: str
    email: str
    role: Role
    forms: list[str] | None
    since: int
    addedBy: str | None
    disabled: bool
    secondFactor: bool


class MemberList(TypedDict):
    members: list[Member]
    total: int


class Invitation(TypedDict):
    id: str
    email: str
    role: Role
    forms: list[str] | None
    invitedBy: str
    createdAt: int
    expiresAt: int


class InvitationList(TypedDict):
    invitations: list[Invitation]
    total: int


class CreatedInvitation(TypedDict):
    invitation: Invitation
    url: str
    mailed: bool


class AuditEntry(TypedDict):
    id: str
    timestamp: int
    action: str
    actor: dict[str, Any]
    target: NotRequired[dict[str, Any]]
    count: NotRequired[int]
    details: NotRequired[dict[str, Any]]


class AuditLogHead(TypedDict):
    sequence: int
    hash: str


class RemovedAuditEntries(TypedDict):
    count: int
    timestamp: int


class AuditLog(TypedDict):
    entries: list[AuditEntry]
    nextCursor: str | None
    head: AuditLogHead
    removed: NotRequired[RemovedAuditEntries]
