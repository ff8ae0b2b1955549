// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/** By operation the members of its answer: path and kinds. */
export const answerMembers = `
GET /api/sessions sessions=list total=integer sessions[]=object sessions[].id=string
DELETE /api/sessions/{session_id} success=boolean
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
POST /api/organizations/{organization_id}/switch organization=object organization.id=string
PATCH /api/organization organization=object organization.id=string
PUT /api/organization/second-factor requiredFrom=integer|null
PUT /api/organization/recovery requireRecovery=boolean
GET /api/members members=list total=integer members[]=object members[].id=string
PATCH /api/members/{member_id} member=object webhookForms=list member.id=string webhookForms[]=object webhookForms[].id=string
DELETE /api/members/{member_id} success=boolean webhookForms=list webhookForms[]=object webhookForms[].id=string
POST /api/members/leave success=boolean
POST /api/member-list head=object
POST /api/member-list/lost head=object
GET /api/admissions admissions=list admissions[]=object admissions[].id=string
POST /api/admissions id=string person=string|null email=string terms=string madeBy=string createdAt=integer endsAt=integer answeredAt=integer|null
GET /api/admissions/{admission_id} admission=object answer=string|null admission.id=string
DELETE /api/admissions/{admission_id} success=boolean
POST /api/admissions/{admission_id}/refusal success=boolean
GET /api/account/admissions admissions=list admissions[]=object admissions[].id=string
GET /api/account/admissions/{admission_id} organization=object terms=string list=string names=string answeredAt=integer|null organization.id=string
POST /api/account/admissions/{admission_id}/answer success=boolean
GET /api/account/signed-heads signedHeads=list signedHeads[]=object
PUT /api/account/signed-heads/{organization_id} signedHead=object
GET /api/invitations invitations=list total=integer invitations[]=object invitations[].id=string
POST /api/invitations invitation=object url=string mailed=boolean invitation.id=string
DELETE /api/invitations/{invitation_id} success=boolean revoked=string
POST /api/invitations/find organization=null|object email=string role=string|null expiresAt=integer
POST /api/invitations/accept success=boolean organizationId=string
POST /api/forms/{form_id}/hand-over success=boolean organizationId=string webhook?=object
POST /api/usage/take-over success=boolean
GET /api/instance version=string signUp=string sendsEmails=boolean hasQuotas=boolean counts=object backlog=object lastBackupAt=integer|null checks=list checks[]=object
GET /api/instance/log entries=list nextCursor=string|null entries[]=object entries[].id=string
GET /api/instance/organizations organizations=list total=integer nextCursor=string|null organizations[]=object organizations[].id=string
PATCH /api/instance/organizations/{organization_id} organization=object organization.id=string
GET /api/instance/accounts accounts=list total=integer nextCursor=string|null accounts[]=object accounts[].id=string
PATCH /api/instance/accounts/{account_id} account=object account.id=string
DELETE /api/instance/accounts/{account_id}/sessions success=boolean ended=integer
DELETE /api/instance/accounts/{account_id}/api-keys success=boolean ended=integer
GET /api/instance/invitations invitations=list total=integer invitations[]=object invitations[].id=string
POST /api/instance/invitations invitation=object url=string mailed=boolean invitation.id=string
DELETE /api/instance/invitations/{invitation_id} success=boolean revoked=string
GET /api/instance/emails emails=list total=integer nextCursor=string|null emails[]=object emails[].id=string
POST /api/instance/emails/{mail_id}/retry success=boolean
GET /api/api-keys keys=list total=integer keys[]=object keys[].id=string
POST /api/api-keys key=object warning=string warningCode=string key.id=string
DELETE /api/api-keys/{key_id} success=boolean revoked=string
GET /api/audit-log entries=list nextCursor=string|null head=object removed?=object entries[]=object entries[].id=string
POST /api/audit-log/shorten shortened=object
POST /api/forms/reservations formId=string expiresAt=integer
GET /api/forms forms=list total=integer nextCursor=string|null forms[]=object forms[].id=string
POST /api/forms form=object form.id=string
GET /api/forms/{form_id} form=object form.id=string
PATCH /api/forms/{form_id} form=object form.id=string
DELETE /api/forms/{form_id} success=boolean deleted=object deleted.formId=string deleted.submissionsDeleted=integer
POST /api/forms/{form_id}/rotate-keys form=object form.id=string
GET /api/forms/{form_id}/keys keys=list keys[]=object keys[].version=integer
POST /api/forms/{form_id}/keys/{version}/proved key=object key.version=integer
POST /api/forms/{form_id}/keys/close keys=list keys[]=object keys[].version=integer
POST /api/forms/{form_id}/keys/log head=object
DELETE /api/forms/{form_id}/keys/log success=boolean
POST /api/forms/{form_id}/keys/refused success=boolean
PUT /api/forms/{form_id}/hold hold=null|object
DELETE /api/forms/{form_id}/hold hold=null|object
GET /api/forms/{form_id}/envelopes envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
DELETE /api/forms/{form_id}/envelopes envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
PUT /api/forms/{form_id}/envelopes/{lowest_version} envelope=object envelope.lowestVersion=integer
GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions revisions=list nextCursor=string|null revisions[]=object
POST /api/forms/{form_id}/envelopes/restore envelopes=list removals=list restorableUntil=integer|null envelopes[]=object envelopes[].lowestVersion=integer removals[]=integer
GET /api/usage usage=object
GET /api/forms/{form_id}/retention days=integer|null
PUT /api/forms/{form_id}/retention days=integer|null
GET /api/notifications mail=boolean available=boolean storage=boolean
PUT /api/notifications mail=boolean available=boolean storage=boolean
GET /api/forms/{form_id}/notifications mail=boolean available=boolean
PUT /api/forms/{form_id}/notifications mail=boolean available=boolean
GET /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
POST /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
PUT /api/account/personal-key personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
POST /api/account/personal-key/restore personalKey=null|object copies=list formerKeys=list copies[]=object copies[].id=string formerKeys[]=object
GET /api/account/key-copies/{copy_id} file=string
DELETE /api/account/key-copies/{copy_id} copy=object copy.id=string
POST /api/account/key-copies copy=object copy.id=string
POST /api/account/key-copies/{copy_id}/restore copy=object copy.id=string
GET /api/account/device-requests request=null|object
POST /api/account/device-requests request=null|object
PUT /api/account/device-requests/{request_id}/challenge request=null|object
PUT /api/account/device-requests/{request_id}/reveal request=null|object
PUT /api/account/device-requests/{request_id}/answer request=null|object
DELETE /api/account/device-requests/{request_id} request=null|object
GET /api/forms/{form_id}/stats formId=string period=string stats=object
GET /api/forms/{form_id}/public form=object form.id=string form.publicKey=object form.keyVersion=integer
GET /api/forms/{form_id}/submissions submissions=list total=integer nextCursor=string|null submissions[]=object submissions[].id=string
DELETE /api/forms/{form_id}/submissions success=boolean deleted=object deleted.submissionsDeleted=integer
POST /api/forms/{form_id}/submissions success=boolean submission=object submission.id=string submission.timestamp=integer submission.receivedAt=integer
GET /api/forms/{form_id}/submissions/{submission_id} submission=object submission.id=string
DELETE /api/forms/{form_id}/submissions/{submission_id} success=boolean deleted=object deleted.submissionId=string
POST /api/forms/{form_id}/submissions/delete success=boolean deleted=object deleted.submissionsDeleted=integer
GET /api/forms/{form_id}/submissions/bin submissions=list total=integer nextCursor=string|null submissions[]=object submissions[].id=string
POST /api/forms/{form_id}/submissions/bin success=boolean binned=object binned.submissionsBinned=integer binned.submissionsDeleted=integer binned.hasMore=boolean
DELETE /api/forms/{form_id}/submissions/bin success=boolean deleted=object deleted.submissionsDeleted=integer
POST /api/forms/{form_id}/submissions/bin/restore success=boolean restored=object restored.submissionsRestored=integer restored.hasMore=boolean
GET /api/forms/{form_id}/webhook-secret secret=string previousSecretExpiresAt?=integer earlierSecretsExpireAt?=list earlierSecretsExpireAt?[]=integer
POST /api/forms/{form_id}/webhook-secret/rotate secret=string previousSecretExpiresAt=integer earlierSecretsExpireAt?=list earlierSecretsExpireAt?[]=integer
POST /api/forms/{form_id}/webhook/test success=boolean delivery=object delivery.id=string
GET /api/forms/{form_id}/webhook/logs logs=list nextCursor=string|null logs[]=object logs[].id=string
GET /api/forms/{form_id}/webhook/logs/{delivery_id} log=object log.id=string
POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend success=boolean delivery=object delivery.id=string
`;
