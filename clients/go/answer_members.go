// Code generated from the server's OpenAPI document by scripts/generate-api-types.ts. DO NOT EDIT.

package sealpost

// answerMembers has by operation the members of its answer: path and kinds.
const answerMembers = `
GET /api/sessions sessions=list total=integer sessions[]=object sessions[].id=string
DELETE /api/sessions/{} success=boolean
POST /api/sessions/end-others ended=integer
POST /api/account/address account=object account.id=string
DELETE /api/account/address account=object account.id=string
GET /api/account account=object account.id=string
PATCH /api/account account=object account.id=string
GET /api/account/deletion deletedAt=integer|null organizations=list organizations[]=object organizations[].id=string
POST /api/account/deletion deletedAt=integer|null
DELETE /api/account/deletion account=object account.id=string
POST /api/organization/deletion deletedAt=integer|null
DELETE /api/organization/deletion deletedAt=integer|null
GET /api/account/export format=string exportedAt=integer account=object addressMove=null|object personalKey=null|object linkedSignIns=list passkeys=list keyCopies=list formerKeys=list sessions=list organizations=list apiKeys=list invitations=list emails=list auditEntries=list linkedSignIns[]=object passkeys[]=object keyCopies[]=object formerKeys[]=object sessions[]=object organizations[]=object apiKeys[]=object invitations[]=object emails[]=object auditEntries[]=object
GET /api/organizations organizations=list total=integer canCreate=boolean secondFactor=boolean lacksSecondFactor=boolean deletionsHeldBackUntil?=integer organizations[]=object organizations[].id=string
POST /api/organizations organization=object organization.id=string
POST /api/organizations/{}/switch organization=object organization.id=string
PATCH /api/organization organization=object organization.id=string
PUT /api/organization/second-factor requiredFrom=integer|null
PUT /api/organization/recovery requireRecovery=boolean
GET /api/members members=list total=integer members[]=object members[].id=string
PATCH /api/members/{} member=object webhookForms=list member.id=string webhookForms[]=object webhookForms[].id=string
DELETE /api/members/{} success=boolean webhookForms=list webhookForms[]=object webhookForms[].id=string
POST /api/members/leave success=boolean
POST /api/member-list head=object
POST /api/member-list/lost head=object
GET /api/admissions admissions=list admissions[]=object admissions[].id=string
POST /api/admissions id=string person=string|null email=string terms=string madeBy=string createdAt=integer endsAt=integer answeredAt=integer|null
GET /api/admissions/{} admission=object answer=string|null admission.id=string
DELETE /api/admissions/{} success=boolean
POST /api/admissions/{}/refusal success=boolean
GET /api/account/admissions admissions=list admissions[]=object admissions[].id=string
GET /api/account/admissions/{} organization=object terms=string list=string names=string answeredAt=integer|null organization.id=string
POST /api/account/admissions/{}/answer success=boolean
GET /api/account/signed-heads signedHeads=list signedHeads[]=object
PUT /api/account/signed-heads/{} signedHead=object
GET /api/invitations invitations=list total=integer invitations[]=object invitations[].id=string
POST /api/invitations invitation=object url=string mailed=boolean invitation.id=string
DELETE /api/invitations/{} success=boolean revoked=string
POST /api/invitations/find organization=null|object email=string role=string|null expiresAt=integer
POST /api/invitations/accept success=boolean organizationId=string
POST /api/forms/{}/hand-over success=boolean organizationId=string webhook?=object
POST /api/usage/take-over success=boolean
GET /api/instance version=string signUp=string sendsEmails=boolean hasQuotas=boolean counts=object backlog=object lastBackupAt=integer|null checks=list checks[]=object
GET /api/instance/log entries=list nextCursor=string|null entries[]=object entries[].id=string
GET /api/instance/organizations organizations=list total=integer nextCursor=string|null organizations[]=object organizations[].id=string
PATCH /api/instance/organizations/{} organization=object organization.id=string
GET /api/instance/accounts accounts=list total=integer nextCursor=string|null accounts[]=object accounts[].id=string
PATCH /api/instance/accounts/{} account=object account.id=string
DELETE /api/instance/accounts/{}/sessions success=boolean ended=integer
DELETE /api/instance/accounts/{}/api-keys success=boolean ended=integer
GET /api/instance/invitations invitations=list total=integer invitations[]=object invitations[].id=string
POST /api/instance/invitations invitation=object url=string mailed=boolean invitation.id=string
DELETE /api/instance/invitations/{} success=boolean revoked=string
GET /api/instance/emails emails=list total=integer nextCursor=string|null emails[]=object emails[].id=string
POST /api/instance/emails/{}/retry success=boolean
GET /api/api-keys keys=list total=integer keys[]=object keys[].id=string
POST /api/api-keys key=object warning=string warningCode=string key.id=string
DELETE /api/api-keys/{} success=boolean revoked=string
GET /api/audit-log entries=list nextCursor=string|null head=object removed?=object entries[]=object entries[].id=string
POST /api/audit-log/shorten shortened=object
POST /api/forms/reservations formId=string expiresAt=integer
GET /api/forms forms=list total=integer nextCursor=string|null forms[]=object forms[].id=string
POST /api/forms form=object form.id=string
GET /api/forms/{} form=object form.id=string
PATCH /api/forms/{} form=object form.id=string
DELETE /api/forms/{} success=boolean deleted=object deleted.formId=string deleted.submissionsDeleted=integer
POST /api/forms/{}/rotate-keys form=object form.id=string
GET /api/forms/{}/keys keys=list keys[]=object keys[].version=integer
POST /api/forms/{}/keys/{}/proved key=object key.version=integer
POST /api/forms/{}/keys/close keys=list keys[]=object keys[].version=integer
POST /api/forms/{}/keys/log head=object
DELETE /api/forms/{}/keys/log success=boolean
POST /api/forms/{}/keys/refused success=boolean
PUT /api/forms/{}/hold hold=null|object
DELETE /api/forms/{}/hold hold=null|object
GET /api/forms/{}/envelopes envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
DELETE /api/forms/{}/envelopes envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
PUT /api/forms/{}/envelopes/{} envelope=object envelope.lowestVersion=integer
GET /api/forms/{}/envelopes/{}/revisions revisions=list nextCursor=string|null revisions[]=object
POST /api/forms/{}/envelopes/restore envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
GET /api/usage usage=object
GET /api/forms/{}/retention days=integer|null
PUT /api/forms/{}/retention days=integer|null
GET /api/notifications mail=boolean available=boolean storage=boolean
PUT /api/notifications mail=boolean available=boolean storage=boolean
GET /api/forms/{}/notifications mail=boolean available=boolean
PUT /api/forms/{}/notifications mail=boolean available=boolean
GET /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
POST /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
PUT /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
POST /api/account/personal-key/restore personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
GET /api/account/key-copies/{} file=string
DELETE /api/account/key-copies/{} copy=object copy.id=string
POST /api/account/key-copies copy=object copy.id=string
POST /api/account/key-copies/{}/restore copy=object copy.id=string
GET /api/account/device-requests request=null|object
POST /api/account/device-requests request=null|object
PUT /api/account/device-requests/{}/challenge request=null|object
PUT /api/account/device-requests/{}/reveal request=null|object
PUT /api/account/device-requests/{}/answer request=null|object
DELETE /api/account/device-requests/{} request=null|object
GET /api/forms/{}/stats formId=string period=string stats=object
GET /api/forms/{}/public form=object form.id=string form.publicKey=object form.keyVersion=integer
GET /api/forms/{}/submissions submissions=list total=integer nextCursor=string|null submissions[]=object submissions[].id=string
DELETE /api/forms/{}/submissions success=boolean deleted=object deleted.submissionsDeleted=integer
POST /api/forms/{}/submissions success=boolean submission=object submission.id=string submission.timestamp=integer submission.receivedAt=integer
GET /api/forms/{}/submissions/{} submission=object submission.id=string
DELETE /api/forms/{}/submissions/{} success=boolean deleted=object deleted.submissionId=string
POST /api/forms/{}/submissions/delete success=boolean deleted=object deleted.submissionsDeleted=integer
GET /api/forms/{}/submissions/bin submissions=list total=integer nextCursor=string|null submissions[]=object submissions[].id=string
POST /api/forms/{}/submissions/bin success=boolean binned=object binned.submissionsBinned=integer binned.submissionsDeleted=integer binned.hasMore=boolean
DELETE /api/forms/{}/submissions/bin success=boolean deleted=object deleted.submissionsDeleted=integer
POST /api/forms/{}/submissions/bin/restore success=boolean restored=object restored.submissionsRestored=integer restored.hasMore=boolean
GET /api/forms/{}/webhook-secret secret=string previousSecretExpiresAt?=integer earlierSecretsExpireAt?=list earlierSecretsExpireAt?[]=integer
POST /api/forms/{}/webhook-secret/rotate secret=string previousSecretExpiresAt=integer earlierSecretsExpireAt?=list earlierSecretsExpireAt?[]=integer
POST /api/forms/{}/webhook/test success=boolean delivery=object delivery.id=string
GET /api/forms/{}/webhook/logs logs=list nextCursor=string|null logs[]=object logs[].id=string
GET /api/forms/{}/webhook/logs/{} log=object log.id=string
POST /api/forms/{}/webhook/logs/{}/resend success=boolean delivery=object delivery.id=string
`
