// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/** By operation, as JSON: the members that its answer always has, and theirs. `name?` may be absent; 0: nothing is known of it. */
export const answerMembers: Readonly<Record<string, string>> = {
  "GET /api/sessions":
    '{"sessions":[{"id":0,"browser":0,"system":0,"createdAt":0,"lastUsedAt":0,"expiresAt":0,"current":0}],"total":0}',
  "DELETE /api/sessions/{session_id}": '{"success":0}',
  "POST /api/sessions/end-others": '{"ended":0}',
  "POST /api/account/address": '{"account":{"id":0,"name":0,"email":0,"deletedAt":0,"move":{"email":0,"expiresAt":0}}}',
  "DELETE /api/account/address":
    '{"account":{"id":0,"name":0,"email":0,"deletedAt":0,"move":{"email":0,"expiresAt":0}}}',
  "GET /api/account": '{"account":{"id":0,"name":0,"email":0,"deletedAt":0,"move":{"email":0,"expiresAt":0}}}',
  "PATCH /api/account": '{"account":{"id":0,"name":0,"email":0,"deletedAt":0,"move":{"email":0,"expiresAt":0}}}',
  "GET /api/account/deletion": '{"deletedAt":0,"organizations":[{"id":0,"name":0,"forms":0,"submissions":0,"fate":0}]}',
  "POST /api/account/deletion": '{"deletedAt":0}',
  "DELETE /api/account/deletion":
    '{"account":{"id":0,"name":0,"email":0,"deletedAt":0,"move":{"email":0,"expiresAt":0}}}',
  "POST /api/organization/deletion": '{"deletedAt":0}',
  "DELETE /api/organization/deletion": '{"deletedAt":0}',
  "GET /api/account/export":
    '{"format":0,"exportedAt":0,"account":0,"addressMove":0,"personalKey":0,"linkedSignIns":0,"passkeys":0,"keyCopies":0,"formerKeys":0,"sessions":0,"organizations":0,"apiKeys":0,"invitations":0,"emails":0,"auditEntries":0}',
  "GET /api/organizations":
    '{"organizations":[{"id":0,"name":0,"role":0,"forms":0,"since":0,"current":0,"secondFactorRequiredFrom":0,"requireRecovery":0}],"total":0,"canCreate":0,"secondFactor":0,"lacksSecondFactor":0}',
  "POST /api/organizations":
    '{"organization":{"id":0,"name":0,"role":0,"forms":0,"since":0,"current":0,"secondFactorRequiredFrom":0,"requireRecovery":0}}',
  "POST /api/organizations/{organization_id}/switch":
    '{"organization":{"id":0,"name":0,"role":0,"forms":0,"since":0,"current":0,"secondFactorRequiredFrom":0,"requireRecovery":0}}',
  "PATCH /api/organization":
    '{"organization":{"id":0,"name":0,"role":0,"forms":0,"since":0,"current":0,"secondFactorRequiredFrom":0,"requireRecovery":0}}',
  "PUT /api/organization/second-factor": '{"requiredFrom":0}',
  "PUT /api/organization/recovery": '{"requireRecovery":0}',
  "GET /api/members":
    '{"members":[{"id":0,"name":0,"email":0,"role":0,"forms":0,"since":0,"addedBy":0,"disabled":0,"secondFactor":0}],"total":0}',
  "PATCH /api/members/{member_id}":
    '{"member":{"id":0,"name":0,"email":0,"role":0,"forms":0,"since":0,"addedBy":0,"disabled":0,"secondFactor":0}}',
  "DELETE /api/members/{member_id}": '{"success":0}',
  "POST /api/members/leave": '{"success":0}',
  "POST /api/member-list": '{"head":{"number":0,"hash":0}}',
  "GET /api/admissions":
    '{"admissions":[{"id":0,"person":0,"email":0,"terms":0,"madeBy":0,"createdAt":0,"endsAt":0,"answeredAt":0}]}',
  "POST /api/admissions": '{"id":0,"person":0,"email":0,"terms":0,"madeBy":0,"createdAt":0,"endsAt":0,"answeredAt":0}',
  "GET /api/admissions/{admission_id}":
    '{"admission":{"id":0,"person":0,"email":0,"terms":0,"madeBy":0,"createdAt":0,"endsAt":0,"answeredAt":0},"file":0,"answer":{"personId":0,"recipient":0,"signingKey":0,"proof":0}}',
  "DELETE /api/admissions/{admission_id}": '{"success":0}',
  "POST /api/admissions/{admission_id}/refusal": '{"success":0}',
  "GET /api/account/admissions": '{"admissions":[{"id":0,"organization":{"id":0,"name":0},"endsAt":0,"answeredAt":0}]}',
  "GET /api/account/admissions/{admission_id}": '{"organization":{"id":0,"name":0},"terms":0,"list":0,"answeredAt":0}',
  "POST /api/account/admissions/{admission_id}/answer": '{"success":0}',
  "GET /api/account/signed-heads": '{"signedHeads":[{"organizationId":0,"signedHead":0,"storedAt":0}]}',
  "PUT /api/account/signed-heads/{organization_id}": '{"signedHead":{"organizationId":0,"signedHead":0,"storedAt":0}}',
  "GET /api/invitations":
    '{"invitations":[{"id":0,"email":0,"role":0,"forms":0,"invitedBy":0,"createdAt":0,"expiresAt":0}],"total":0}',
  "POST /api/invitations":
    '{"invitation":{"id":0,"email":0,"role":0,"forms":0,"invitedBy":0,"createdAt":0,"expiresAt":0},"url":0,"mailed":0}',
  "DELETE /api/invitations/{invitation_id}": '{"success":0,"revoked":0}',
  "POST /api/invitations/find": '{"organization":{"name":0},"email":0,"role":0,"expiresAt":0}',
  "POST /api/invitations/accept": '{"success":0,"organizationId":0}',
  "POST /api/forms/{form_id}/hand-over": '{"success":0,"organizationId":0}',
  "GET /api/instance":
    '{"version":0,"signUp":0,"sendsEmails":0,"hasQuotas":0,"counts":{"organizations":0,"accounts":0,"operators":0,"disabled":0,"failedEmails":0},"backlog":{"deliveriesDue":0,"oldestDeliveryAt":0,"mailsWaiting":0,"oldestMailAt":0},"lastBackupAt":0,"checks":[{"check":0,"level":0,"message":0}]}',
  "GET /api/instance/log":
    '{"entries":[{"id":0,"timestamp":0,"action":0,"operator":{"id":0,"name":0,"email":0},"subject":{"id":0,"name":0,"email":0}}],"nextCursor":0}',
  "GET /api/instance/organizations":
    '{"organizations":[{"id":0,"name":0,"plan":0,"createdAt":0,"bytes":0,"bytesMax":0,"forms":0,"members":0,"owners":0}],"total":0,"nextCursor":0}',
  "PATCH /api/instance/organizations/{organization_id}":
    '{"organization":{"id":0,"name":0,"plan":0,"createdAt":0,"bytes":0,"bytesMax":0,"forms":0,"members":0,"owners":0}}',
  "GET /api/instance/accounts":
    '{"accounts":[{"id":0,"name":0,"email":0,"createdAt":0,"disabledAt":0,"verified":0,"secondFactor":0,"operatorSince":0,"organizations":0,"sessions":0,"apiKeys":0}],"total":0,"nextCursor":0}',
  "PATCH /api/instance/accounts/{account_id}":
    '{"account":{"id":0,"name":0,"email":0,"createdAt":0,"disabledAt":0,"verified":0,"secondFactor":0,"operatorSince":0,"organizations":0,"sessions":0,"apiKeys":0}}',
  "DELETE /api/instance/accounts/{account_id}/sessions": '{"success":0,"ended":0}',
  "DELETE /api/instance/accounts/{account_id}/api-keys": '{"success":0,"ended":0}',
  "GET /api/instance/invitations":
    '{"invitations":[{"id":0,"email":0,"invitedBy":{"id":0,"name":0,"email":0},"createdAt":0,"expiresAt":0}],"total":0}',
  "POST /api/instance/invitations":
    '{"invitation":{"id":0,"email":0,"invitedBy":{"id":0,"name":0,"email":0},"createdAt":0,"expiresAt":0},"url":0,"mailed":0}',
  "DELETE /api/instance/invitations/{invitation_id}": '{"success":0,"revoked":0}',
  "GET /api/instance/emails":
    '{"emails":[{"id":0,"kind":0,"accountId":0,"to":0,"failedAt":0,"failure":0,"attempts":0,"nextAt":0,"canTryAgain":0}],"total":0,"nextCursor":0}',
  "POST /api/instance/emails/{mail_id}/retry": '{"success":0}',
  "GET /api/api-keys":
    '{"keys":[{"id":0,"name":0,"prefix":0,"permissions":0,"createdAt":0,"lastUsed":0,"maker":{"id":0,"name":0}}],"total":0}',
  "POST /api/api-keys": '{"key":{"id":0,"name":0,"key":0,"permissions":0,"createdAt":0},"warning":0,"warningCode":0}',
  "DELETE /api/api-keys/{key_id}": '{"success":0,"revoked":0}',
  "GET /api/audit-log":
    '{"entries":[{"id":0,"timestamp":0,"action":0,"actor":0,"details?":{"changes?":[{"setting":0,"from":0,"to":0}]}}],"nextCursor":0,"head":{"sequence":0,"hash":0},"removed?":{"count":0,"timestamp":0}}',
  "POST /api/forms/reservations": '{"formId":0,"expiresAt":0}',
  "GET /api/forms":
    '{"forms":[{"id":0,"name":0,"createdAt":0,"submissionCount":0,"receivedCount":0,"lastReceivedAt":0,"keyProof":0,"publicKey":{"kty":0,"n":0,"e":0},"settings":{"encryption":0,"piiStrip":0},"refusedVisitors?":{"since":0,"lastAt":0}}],"total":0,"nextCursor":0}',
  "POST /api/forms":
    '{"form":{"id":0,"name":0,"createdAt":0,"publicKey":{"kty":0,"n":0,"e":0},"privateKey?":{"kty":0,"n":0,"e":0,"d":0,"p":0,"q":0,"dp":0,"dq":0,"qi":0},"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"hybridPrivateKey?":{"kty":0,"alg":0,"pub":0,"priv":0},"settings":{"encryption":0,"piiStrip":0,"webhookUrl":0,"webhookRedirects":0,"allowedOrigins":0,"country":0,"piiTypes":0,"submissionBytesMax":0,"submissionsPerHour":0,"binDays":0}}}',
  "GET /api/forms/{form_id}":
    '{"form":{"id":0,"name":0,"createdAt":0,"updatedAt":0,"submissionCount":0,"keyProof":0,"publicKey":{"kty":0,"n":0,"e":0},"settings":{"encryption":0,"piiStrip":0,"webhookUrl":0,"webhookRedirects":0,"allowedOrigins":0,"country":0,"piiTypes":0,"submissionBytesMax":0,"submissionsPerHour":0,"binDays":0},"embedCode":0,"refusedVisitors?":{"since":0,"lastAt":0},"hold?":{"since":0,"setBy":{"id":0,"name":0},"reason":0,"until":0}}}',
  "PATCH /api/forms/{form_id}":
    '{"form":{"id":0,"name":0,"updatedAt":0,"settings":{"encryption":0,"piiStrip":0,"webhookUrl":0,"webhookRedirects":0,"allowedOrigins":0,"country":0,"piiTypes":0,"submissionBytesMax":0,"submissionsPerHour":0,"binDays":0}}}',
  "DELETE /api/forms/{form_id}": '{"success":0,"deleted":{"formId":0,"submissionsDeleted":0}}',
  "POST /api/forms/{form_id}/rotate-keys":
    '{"form":{"id":0,"publicKey":{"kty":0,"n":0,"e":0},"privateKey?":{"kty":0,"n":0,"e":0,"d":0,"p":0,"q":0,"dp":0,"dq":0,"qi":0},"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"hybridPrivateKey?":{"kty":0,"alg":0,"pub":0,"priv":0},"keyVersion":0,"previousKeyVersion":0,"rotatedAt":0}}',
  "GET /api/forms/{form_id}/keys":
    '{"keys":[{"version":0,"publicKey":{"kty":0,"n":0,"e":0},"fingerprint":0,"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"createdAt":0,"madeBy":0,"provedAt":0}]}',
  "POST /api/forms/{form_id}/keys/{version}/proved":
    '{"key":{"version":0,"publicKey":{"kty":0,"n":0,"e":0},"fingerprint":0,"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"createdAt":0,"madeBy":0,"provedAt":0}}',
  "POST /api/forms/{form_id}/keys/close":
    '{"keys":[{"version":0,"publicKey":{"kty":0,"n":0,"e":0},"fingerprint":0,"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"createdAt":0,"madeBy":0,"provedAt":0}]}',
  "POST /api/forms/{form_id}/keys/log": '{"head":{"number":0,"hash":0}}',
  "DELETE /api/forms/{form_id}/keys/log": '{"success":0}',
  "POST /api/forms/{form_id}/keys/refused": '{"success":0}',
  "PUT /api/forms/{form_id}/hold": '{"hold":{"since":0,"setBy":{"id":0,"name":0},"reason":0,"until":0}}',
  "DELETE /api/forms/{form_id}/hold": '{"hold":{"since":0,"setBy":{"id":0,"name":0},"reason":0,"until":0}}',
  "GET /api/forms/{form_id}/envelopes":
    '{"envelopes":[{"lowestVersion":0,"revision":0,"hash":0,"bytes":0,"createdAt":0}],"removals":0,"restorableUntil":0}',
  "DELETE /api/forms/{form_id}/envelopes":
    '{"envelopes":[{"lowestVersion":0,"revision":0,"hash":0,"bytes":0,"createdAt":0}],"removals":0,"restorableUntil":0}',
  "PUT /api/forms/{form_id}/envelopes/{lowest_version}":
    '{"envelope":{"lowestVersion":0,"revision":0,"hash":0,"bytes":0,"createdAt":0}}',
  "POST /api/forms/{form_id}/envelopes/restore":
    '{"envelopes":[{"lowestVersion":0,"revision":0,"hash":0,"bytes":0,"createdAt":0}],"removals":0,"restorableUntil":0}',
  "GET /api/usage":
    '{"usage":{"bytes":0,"otherBytes":0,"bytesMax":0,"formBytesMax":0,"forms":[{"id":0,"name":0,"bytes":0,"submissionCount":0}]}}',
  "GET /api/forms/{form_id}/retention": '{"days":0}',
  "PUT /api/forms/{form_id}/retention": '{"days":0}',
  "GET /api/notifications": '{"mail":0,"available":0}',
  "PUT /api/notifications": '{"mail":0,"available":0}',
  "GET /api/forms/{form_id}/notifications": '{"mail":0,"available":0}',
  "PUT /api/forms/{form_id}/notifications": '{"mail":0,"available":0}',
  "GET /api/account/personal-key":
    '{"personalKey":{"recipient":0,"signingKey":0,"createdAt":0},"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}],"formerKeys":[{"recipient":0,"signingKey":0,"createdAt":0,"replacedAt":0,"restorableUntil":0,"copyId":0,"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}]}]}',
  "POST /api/account/personal-key":
    '{"personalKey":{"recipient":0,"signingKey":0,"createdAt":0},"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}],"formerKeys":[{"recipient":0,"signingKey":0,"createdAt":0,"replacedAt":0,"restorableUntil":0,"copyId":0,"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}]}]}',
  "PUT /api/account/personal-key":
    '{"personalKey":{"recipient":0,"signingKey":0,"createdAt":0},"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}],"formerKeys":[{"recipient":0,"signingKey":0,"createdAt":0,"replacedAt":0,"restorableUntil":0,"copyId":0,"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}]}]}',
  "POST /api/account/personal-key/restore":
    '{"personalKey":{"recipient":0,"signingKey":0,"createdAt":0},"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}],"formerKeys":[{"recipient":0,"signingKey":0,"createdAt":0,"replacedAt":0,"restorableUntil":0,"copyId":0,"copies":[{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}]}]}',
  "GET /api/account/key-copies/{copy_id}": '{"file":0}',
  "DELETE /api/account/key-copies/{copy_id}":
    '{"copy":{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}}',
  "POST /api/account/key-copies": '{"copy":{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}}',
  "POST /api/account/key-copies/{copy_id}/restore":
    '{"copy":{"id":0,"way":0,"name":0,"createdAt":0,"removedAt":0,"restorableUntil":0}}',
  "GET /api/account/device-requests":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "POST /api/account/device-requests":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "PUT /api/account/device-requests/{request_id}/challenge":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "PUT /api/account/device-requests/{request_id}/reveal":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "PUT /api/account/device-requests/{request_id}/answer":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "DELETE /api/account/device-requests/{request_id}":
    '{"request":{"id":0,"isOwn":0,"commitment":0,"expiresAt":0,"challenge":{"recipient":0,"signingKey":0,"nonce":0,"proof":0},"reveal":{"recipient":0,"nonce":0},"isAnswered":0,"answer":{"copy":0,"heads":0}}}',
  "GET /api/forms/{form_id}/stats":
    '{"formId":0,"period":0,"stats":{"totalSubmissions":0,"periodSubmissions":0,"avgPerDay":0,"timeline":[{"date":0,"count":0}]}}',
  "GET /api/forms/{form_id}/public":
    '{"form":{"id":0,"publicKey":{"kty":0,"n":0,"e":0},"keyVersion":0,"keyFingerprint":0,"hybridPublicKey?":{"kty":0,"alg":0,"pub":0},"settings":{"encryption":0,"piiStrip":0,"country":0,"piiTypes":0}}}',
  "GET /api/forms/{form_id}/submissions":
    '{"submissions":[{"id":0,"formId":0,"payload":0,"keyVersion":0,"timestamp":0,"receivedAt":0}],"total":0,"nextCursor":0}',
  "DELETE /api/forms/{form_id}/submissions": '{"success":0,"deleted":{"submissionsDeleted":0}}',
  "POST /api/forms/{form_id}/submissions": '{"success":0,"submission":{"id":0,"timestamp":0,"receivedAt":0}}',
  "GET /api/forms/{form_id}/submissions/{submission_id}":
    '{"submission":{"id":0,"formId":0,"payload":0,"keyVersion":0,"timestamp":0,"receivedAt":0}}',
  "DELETE /api/forms/{form_id}/submissions/{submission_id}": '{"success":0,"deleted":{"submissionId":0}}',
  "POST /api/forms/{form_id}/submissions/delete": '{"success":0,"deleted":{"submissionsDeleted":0}}',
  "GET /api/forms/{form_id}/submissions/bin":
    '{"submissions":[{"id":0,"formId":0,"payload":0,"keyVersion":0,"timestamp":0,"receivedAt":0,"binnedAt":0,"purgeAt":0}],"total":0,"nextCursor":0}',
  "POST /api/forms/{form_id}/submissions/bin":
    '{"success":0,"binned":{"submissionsBinned":0,"submissionsDeleted":0,"hasMore":0}}',
  "DELETE /api/forms/{form_id}/submissions/bin": '{"success":0,"deleted":{"submissionsDeleted":0}}',
  "POST /api/forms/{form_id}/submissions/bin/restore": '{"success":0,"restored":{"submissionsRestored":0,"hasMore":0}}',
  "GET /api/forms/{form_id}/webhook-secret": '{"secret":0}',
  "POST /api/forms/{form_id}/webhook-secret/rotate": '{"secret":0,"previousSecretExpiresAt":0}',
  "POST /api/forms/{form_id}/webhook/test":
    '{"success":0,"delivery":{"id":0,"event":0,"timestamp":0,"status":0,"retryCount":0}}',
  "GET /api/forms/{form_id}/webhook/logs":
    '{"logs":[{"id":0,"event":0,"timestamp":0,"status":0,"retryCount":0}],"nextCursor":0}',
  "GET /api/forms/{form_id}/webhook/logs/{delivery_id}":
    '{"log":{"id":0,"event":0,"timestamp":0,"status":0,"retryCount":0,"attempts":[{"number":0,"startedAt":0,"url":0}]}}',
  "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend": '{"success":0,"delivery":{"id":0}}',
};
