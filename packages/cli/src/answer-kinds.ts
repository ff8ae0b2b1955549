// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/**
 * By operation, as JSON: the kind of its answer. A word: of the primitive; null; members: of an object, `name?` may be absent; a list
 * with one entry: of a list with such items; with several: one of these; 0: nothing is known of it.
 */
export const answerKinds: Readonly<Record<string, string>> = {
  "GET /api/sessions":
    '{"sessions":[{"id":"string","browser":["string",null],"system":["string",null],"createdAt":"integer","lastUsedAt":"integer","expiresAt":"integer","current":"boolean"}],"total":"integer"}',
  "DELETE /api/sessions/{session_id}": '{"success":"boolean"}',
  "POST /api/sessions/end-others": '{"ended":"integer"}',
  "POST /api/account/address":
    '{"account":{"id":"string","name":"string","email":"string","deletedAt":["integer",null],"move":[null,{"email":"string","expiresAt":"integer"}]}}',
  "DELETE /api/account/address":
    '{"account":{"id":"string","name":"string","email":"string","deletedAt":["integer",null],"move":[null,{"email":"string","expiresAt":"integer"}]}}',
  "GET /api/account":
    '{"account":{"id":"string","name":"string","email":"string","deletedAt":["integer",null],"move":[null,{"email":"string","expiresAt":"integer"}]}}',
  "PATCH /api/account":
    '{"account":{"id":"string","name":"string","email":"string","deletedAt":["integer",null],"move":[null,{"email":"string","expiresAt":"integer"}]}}',
  "GET /api/account/deletion":
    '{"deletedAt":["integer",null],"organizations":[{"id":"string","name":"string","forms":"integer","submissions":"integer","heldForms":[{"id":"string","name":"string"}],"fate":"string"}]}',
  "POST /api/account/deletion": '{"deletedAt":["integer",null]}',
  "DELETE /api/account/deletion":
    '{"account":{"id":"string","name":"string","email":"string","deletedAt":["integer",null],"move":[null,{"email":"string","expiresAt":"integer"}]}}',
  "POST /api/organization/deletion": '{"deletedAt":["integer",null]}',
  "DELETE /api/organization/deletion": '{"deletedAt":["integer",null]}',
  "GET /api/account/export":
    '{"format":"string","exportedAt":"integer","account":{},"addressMove":[null,{}],"personalKey":[null,{}],"linkedSignIns":[{}],"passkeys":[{}],"keyCopies":[{}],"formerKeys":[{}],"sessions":[{}],"organizations":[{}],"apiKeys":[{}],"invitations":[{}],"emails":[{}],"auditEntries":[{}]}',
  "GET /api/organizations":
    '{"organizations":[{"id":"string","name":"string","role":"string","forms":[null,["string"]],"since":"integer","current":"boolean","secondFactorRequiredFrom":["integer",null],"requireRecovery":"boolean","unprovenAddress?":"string","deletedAt?":"integer"}],"total":"integer","canCreate":"boolean","secondFactor":"boolean","lacksSecondFactor":"boolean","deletionsHeldBackUntil?":"integer"}',
  "POST /api/organizations":
    '{"organization":{"id":"string","name":"string","role":"string","forms":[null,["string"]],"since":"integer","current":"boolean","secondFactorRequiredFrom":["integer",null],"requireRecovery":"boolean","unprovenAddress?":"string","deletedAt?":"integer"}}',
  "POST /api/organizations/{organization_id}/switch":
    '{"organization":{"id":"string","name":"string","role":"string","forms":[null,["string"]],"since":"integer","current":"boolean","secondFactorRequiredFrom":["integer",null],"requireRecovery":"boolean","unprovenAddress?":"string","deletedAt?":"integer"}}',
  "PATCH /api/organization":
    '{"organization":{"id":"string","name":"string","role":"string","forms":[null,["string"]],"since":"integer","current":"boolean","secondFactorRequiredFrom":["integer",null],"requireRecovery":"boolean","unprovenAddress?":"string","deletedAt?":"integer"}}',
  "PUT /api/organization/second-factor": '{"requiredFrom":["integer",null]}',
  "PUT /api/organization/recovery": '{"requireRecovery":"boolean"}',
  "GET /api/members":
    '{"members":[{"id":"string","name":"string","email":"string","role":"string","forms":[null,["string"]],"since":"integer","addedBy":["string",null],"disabled":"boolean","secondFactor":"boolean","unprovenAddress?":"string"}],"total":"integer"}',
  "PATCH /api/members/{member_id}":
    '{"member":{"id":"string","name":"string","email":"string","role":"string","forms":[null,["string"]],"since":"integer","addedBy":["string",null],"disabled":"boolean","secondFactor":"boolean","unprovenAddress?":"string"},"webhookForms":[{"id":"string","name":"string"}]}',
  "DELETE /api/members/{member_id}": '{"success":"boolean","webhookForms":[{"id":"string","name":"string"}]}',
  "POST /api/members/leave": '{"success":"boolean"}',
  "POST /api/member-list": '{"head":{"number":"integer","hash":"string"}}',
  "POST /api/member-list/lost": '{"head":{"number":"integer","hash":"string"}}',
  "GET /api/admissions":
    '{"admissions":[{"id":"string","person":["string",null],"email":"string","terms":"string","madeBy":"string","createdAt":"integer","endsAt":"integer","answeredAt":["integer",null]}]}',
  "POST /api/admissions":
    '{"id":"string","person":["string",null],"email":"string","terms":"string","madeBy":"string","createdAt":"integer","endsAt":"integer","answeredAt":["integer",null]}',
  "GET /api/admissions/{admission_id}":
    '{"admission":{"id":"string","person":["string",null],"email":"string","terms":"string","madeBy":"string","createdAt":"integer","endsAt":"integer","answeredAt":["integer",null]},"answer":["string",null]}',
  "DELETE /api/admissions/{admission_id}": '{"success":"boolean"}',
  "POST /api/admissions/{admission_id}/refusal": '{"success":"boolean"}',
  "GET /api/account/admissions":
    '{"admissions":[{"id":"string","organization":{"id":"string","name":"string"},"endsAt":"integer","answeredAt":["integer",null]}]}',
  "GET /api/account/admissions/{admission_id}":
    '{"organization":{"id":"string","name":"string"},"terms":"string","list":"string","names":"string","answeredAt":["integer",null]}',
  "POST /api/account/admissions/{admission_id}/answer": '{"success":"boolean"}',
  "GET /api/account/signed-heads":
    '{"signedHeads":[{"organizationId":"string","signedHead":"string","storedAt":"integer"}]}',
  "PUT /api/account/signed-heads/{organization_id}":
    '{"signedHead":{"organizationId":"string","signedHead":"string","storedAt":"integer"}}',
  "GET /api/invitations":
    '{"invitations":[{"id":"string","email":"string","role":"string","forms":[null,["string"]],"invitedBy":"string","createdAt":"integer","expiresAt":"integer"}],"total":"integer"}',
  "POST /api/invitations":
    '{"invitation":{"id":"string","email":"string","role":"string","forms":[null,["string"]],"invitedBy":"string","createdAt":"integer","expiresAt":"integer"},"url":"string","mailed":"boolean"}',
  "DELETE /api/invitations/{invitation_id}": '{"success":"boolean","revoked":"string"}',
  "POST /api/invitations/find":
    '{"organization":[null,{"name":"string"}],"email":"string","role":["string",null],"expiresAt":"integer"}',
  "POST /api/invitations/accept": '{"success":"boolean","organizationId":"string"}',
  "POST /api/forms/{form_id}/hand-over":
    '{"success":"boolean","organizationId":"string","webhook?":{"host":"string","kept":"boolean","secret":"string","previousSecretExpiresAt?":"integer"}}',
  "POST /api/usage/take-over": '{"success":"boolean"}',
  "GET /api/instance":
    '{"version":"string","signUp":"string","sendsEmails":"boolean","hasQuotas":"boolean","counts":{"organizations":"integer","accounts":"integer","operators":"integer","disabled":"integer","failedEmails":"integer"},"backlog":{"deliveriesDue":"integer","oldestDeliveryAt":["integer",null],"mailsWaiting":"integer","oldestMailAt":["integer",null]},"lastBackupAt":["integer",null],"checks":[{"check":"string","level":"string","message":"string","remedy?":"string"}]}',
  "GET /api/instance/log":
    '{"entries":[{"id":"string","timestamp":"integer","action":"string","operator":[null,{"id":"string","name":"string","email":["string",null]}],"subject":[null,{"id":"string","name":"string","email":["string",null]}],"count?":"integer","plan?":"string"}],"nextCursor":["string",null]}',
  "GET /api/instance/organizations":
    '{"organizations":[{"id":"string","name":"string","plan":"string","createdAt":"integer","bytes":"integer","bytesMax":["integer",null],"forms":"integer","members":"integer","owners":"integer"}],"total":"integer","nextCursor":["string",null]}',
  "PATCH /api/instance/organizations/{organization_id}":
    '{"organization":{"id":"string","name":"string","plan":"string","createdAt":"integer","bytes":"integer","bytesMax":["integer",null],"forms":"integer","members":"integer","owners":"integer"}}',
  "GET /api/instance/accounts":
    '{"accounts":[{"id":"string","name":"string","email":"string","createdAt":"integer","disabledAt":["integer",null],"verified":"boolean","secondFactor":"boolean","operatorSince":["integer",null],"organizations":"integer","sessions":"integer","apiKeys":"integer"}],"total":"integer","nextCursor":["string",null]}',
  "PATCH /api/instance/accounts/{account_id}":
    '{"account":{"id":"string","name":"string","email":"string","createdAt":"integer","disabledAt":["integer",null],"verified":"boolean","secondFactor":"boolean","operatorSince":["integer",null],"organizations":"integer","sessions":"integer","apiKeys":"integer"}}',
  "DELETE /api/instance/accounts/{account_id}/sessions": '{"success":"boolean","ended":"integer"}',
  "DELETE /api/instance/accounts/{account_id}/api-keys": '{"success":"boolean","ended":"integer"}',
  "GET /api/instance/invitations":
    '{"invitations":[{"id":"string","email":"string","invitedBy":[null,{"id":"string","name":"string","email":["string",null]}],"createdAt":"integer","expiresAt":"integer"}],"total":"integer"}',
  "POST /api/instance/invitations":
    '{"invitation":{"id":"string","email":"string","invitedBy":[null,{"id":"string","name":"string","email":["string",null]}],"createdAt":"integer","expiresAt":"integer"},"url":"string","mailed":"boolean"}',
  "DELETE /api/instance/invitations/{invitation_id}": '{"success":"boolean","revoked":"string"}',
  "GET /api/instance/emails":
    '{"emails":[{"id":"string","kind":"string","accountId":"string","to":["string"],"failedAt":"integer","failure":"string","attempts":"integer","nextAt":["integer",null],"canTryAgain":"boolean"}],"total":"integer","nextCursor":["string",null]}',
  "POST /api/instance/emails/{mail_id}/retry": '{"success":"boolean"}',
  "GET /api/api-keys":
    '{"keys":[{"id":"string","name":"string","prefix":"string","permissions":["string"],"forms?":["string"],"expiresAt?":"string","createdAt":"string","lastUsed":["string",null],"maker":{"id":"string","name":"string"}}],"total":"integer"}',
  "POST /api/api-keys":
    '{"key":{"id":"string","name":"string","key":"string","permissions":["string"],"forms?":["string"],"expiresAt?":"string","createdAt":"string"},"warning":"string","warningCode":"string"}',
  "DELETE /api/api-keys/{key_id}": '{"success":"boolean","revoked":"string"}',
  "GET /api/audit-log":
    '{"entries":[{"id":"string","timestamp":"integer","action":"string","actor":{},"target?":{},"count?":"integer","details?":{"changes?":[{"setting":"string","from":0,"to":0}],"since?":"integer","backupAt?":"integer","counts?":{"lists?":"integer","opened?":"integer","exports?":"integer","submissions?":"integer","passwords?":"integer","codes?":"integer","sessions?":"integer","keysRestored?":"integer","keysRevoked?":"integer","entries?":"integer"}}}],"nextCursor":["string",null],"head":{"sequence":"integer","hash":"string"},"removed?":{"count":"integer","timestamp":"integer"}}',
  "POST /api/audit-log/shorten": '{"shortened":{"count":"integer"}}',
  "POST /api/forms/reservations": '{"formId":"string","expiresAt":"integer"}',
  "GET /api/forms":
    '{"forms":[{"id":"string","name":"string","createdAt":"integer","submissionCount":"integer","receivedCount":"integer","lastReceivedAt":["integer",null],"keyProof":"string","publicKey":{"kty":"string","n":"string","e":"string"},"settings":{"encryption":"boolean","piiStrip":"boolean"},"refusedVisitors?":[{"cause":"string","since":"integer","lastAt":"integer"}],"held?":"boolean"}],"total":"integer","nextCursor":["string",null]}',
  "POST /api/forms":
    '{"form":{"id":"string","name":"string","createdAt":"integer","publicKey":{"kty":"string","n":"string","e":"string"},"privateKey?":{"kty":"string","n":"string","e":"string","d":"string","p":"string","q":"string","dp":"string","dq":"string","qi":"string"},"hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridPrivateKey?":{"kty":"string","alg":"string","pub":"string","priv":"string"},"settings":{"encryption":"boolean","piiStrip":"boolean","webhookUrl":["string",null],"webhookRedirects":"string","allowedOrigins":["string"],"country":["string",null],"piiTypes":[null,["string"]],"submissionBytesMax":"integer","submissionsPerHour":["integer",null],"binDays":"integer"}}}',
  "GET /api/forms/{form_id}":
    '{"form":{"id":"string","name":"string","createdAt":"integer","updatedAt":"integer","submissionCount":"integer","keyProof":"string","publicKey":{"kty":"string","n":"string","e":"string"},"settings":{"encryption":"boolean","piiStrip":"boolean","webhookUrl":["string",null],"webhookRedirects":"string","allowedOrigins":["string"],"country":["string",null],"piiTypes":[null,["string"]],"submissionBytesMax":"integer","submissionsPerHour":["integer",null],"binDays":"integer"},"embedCode":"string","refusedVisitors?":[{"cause":"string","since":"integer","lastAt":"integer"}],"hold?":{"since":"integer","setBy":[null,{"id":"string","name":"string"}],"reason":["string",null],"until":["integer",null]},"webhookSecretKnownSince?":"integer"}}',
  "PATCH /api/forms/{form_id}":
    '{"form":{"id":"string","name":"string","updatedAt":"integer","settings":{"encryption":"boolean","piiStrip":"boolean","webhookUrl":["string",null],"webhookRedirects":"string","allowedOrigins":["string"],"country":["string",null],"piiTypes":[null,["string"]],"submissionBytesMax":"integer","submissionsPerHour":["integer",null],"binDays":"integer"}}}',
  "DELETE /api/forms/{form_id}": '{"success":"boolean","deleted":{"formId":"string","submissionsDeleted":"integer"}}',
  "POST /api/forms/{form_id}/rotate-keys":
    '{"form":{"id":"string","publicKey":{"kty":"string","n":"string","e":"string"},"privateKey?":{"kty":"string","n":"string","e":"string","d":"string","p":"string","q":"string","dp":"string","dq":"string","qi":"string"},"hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridPrivateKey?":{"kty":"string","alg":"string","pub":"string","priv":"string"},"keyVersion":"integer","previousKeyVersion":"integer","rotatedAt":"integer"}}',
  "GET /api/forms/{form_id}/keys":
    '{"keys":[{"version":"integer","publicKey":{"kty":"string","n":"string","e":"string"},"fingerprint":"string","hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridFingerprint?":"string","createdAt":"integer","madeBy":"string","provedAt":["integer",null],"closesAt?":"integer"}]}',
  "POST /api/forms/{form_id}/keys/{version}/proved":
    '{"key":{"version":"integer","publicKey":{"kty":"string","n":"string","e":"string"},"fingerprint":"string","hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridFingerprint?":"string","createdAt":"integer","madeBy":"string","provedAt":["integer",null],"closesAt?":"integer"}}',
  "POST /api/forms/{form_id}/keys/close":
    '{"keys":[{"version":"integer","publicKey":{"kty":"string","n":"string","e":"string"},"fingerprint":"string","hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridFingerprint?":"string","createdAt":"integer","madeBy":"string","provedAt":["integer",null],"closesAt?":"integer"}]}',
  "POST /api/forms/{form_id}/keys/log": '{"head":{"number":"integer","hash":"string"}}',
  "DELETE /api/forms/{form_id}/keys/log": '{"success":"boolean"}',
  "POST /api/forms/{form_id}/keys/refused": '{"success":"boolean"}',
  "PUT /api/forms/{form_id}/hold":
    '{"hold":[null,{"since":"integer","setBy":[null,{"id":"string","name":"string"}],"reason":["string",null],"until":["integer",null]}]}',
  "DELETE /api/forms/{form_id}/hold":
    '{"hold":[null,{"since":"integer","setBy":[null,{"id":"string","name":"string"}],"reason":["string",null],"until":["integer",null]}]}',
  "GET /api/forms/{form_id}/envelopes":
    '{"envelopes":[{"lowestVersion":"integer","revision":"integer","hash":"string","bytes":"integer","createdAt":"integer"}],"removals":["integer"],"restorableUntil":["integer",null]}',
  "DELETE /api/forms/{form_id}/envelopes":
    '{"envelopes":[{"lowestVersion":"integer","revision":"integer","hash":"string","bytes":"integer","createdAt":"integer"}],"removals":["integer"],"restorableUntil":["integer",null]}',
  "PUT /api/forms/{form_id}/envelopes/{lowest_version}":
    '{"envelope":{"lowestVersion":"integer","revision":"integer","hash":"string","bytes":"integer","createdAt":"integer"}}',
  "GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions":
    '{"revisions":[{"revision":"integer","hash":"string","bytes":"integer","createdAt":"integer","writerId":"string"}],"nextCursor":["string",null]}',
  "POST /api/forms/{form_id}/envelopes/restore":
    '{"envelopes":[{"lowestVersion":"integer","revision":"integer","hash":"string","bytes":"integer","createdAt":"integer"}],"removals":["integer"],"restorableUntil":["integer",null]}',
  "GET /api/usage":
    '{"usage":{"bytes":"integer","otherBytes":"integer","logBytes":"integer","bytesMax":["integer",null],"formBytesMax":["integer",null],"forms":[{"id":"string","name":"string","bytes":"integer","submissionCount":"integer"}],"shared":[null,{"countsFor":"string","name":["string",null],"percent":"integer","otherPercent":"integer","organizations":[{"id":"string","name":"string","bytes":"integer","otherBytes":"integer"}]}]}}',
  "GET /api/forms/{form_id}/retention": '{"days":["integer",null]}',
  "PUT /api/forms/{form_id}/retention": '{"days":["integer",null]}',
  "GET /api/notifications": '{"mail":"boolean","available":"boolean","storage":"boolean"}',
  "PUT /api/notifications": '{"mail":"boolean","available":"boolean","storage":"boolean"}',
  "GET /api/forms/{form_id}/notifications": '{"mail":"boolean","available":"boolean"}',
  "PUT /api/forms/{form_id}/notifications": '{"mail":"boolean","available":"boolean"}',
  "GET /api/account/personal-key":
    '{"personalKey":[null,{"recipient":"string","signingKey":"string","createdAt":"integer"}],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}],"formerKeys":[{"recipient":"string","signingKey":"string","createdAt":"integer","replacedAt":"integer","restorableUntil":"integer","copyId":["string",null],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}]}]}',
  "POST /api/account/personal-key":
    '{"personalKey":[null,{"recipient":"string","signingKey":"string","createdAt":"integer"}],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}],"formerKeys":[{"recipient":"string","signingKey":"string","createdAt":"integer","replacedAt":"integer","restorableUntil":"integer","copyId":["string",null],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}]}]}',
  "PUT /api/account/personal-key":
    '{"personalKey":[null,{"recipient":"string","signingKey":"string","createdAt":"integer"}],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}],"formerKeys":[{"recipient":"string","signingKey":"string","createdAt":"integer","replacedAt":"integer","restorableUntil":"integer","copyId":["string",null],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}]}]}',
  "POST /api/account/personal-key/restore":
    '{"personalKey":[null,{"recipient":"string","signingKey":"string","createdAt":"integer"}],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}],"formerKeys":[{"recipient":"string","signingKey":"string","createdAt":"integer","replacedAt":"integer","restorableUntil":"integer","copyId":["string",null],"copies":[{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}]}]}',
  "GET /api/account/key-copies/{copy_id}": '{"file":"string"}',
  "DELETE /api/account/key-copies/{copy_id}":
    '{"copy":{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}}',
  "POST /api/account/key-copies":
    '{"copy":{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}}',
  "POST /api/account/key-copies/{copy_id}/restore":
    '{"copy":{"id":"string","way":"string","name":"string","createdAt":"integer","removedAt":["integer",null],"restorableUntil":["integer",null]}}',
  "GET /api/account/device-requests":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "POST /api/account/device-requests":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "PUT /api/account/device-requests/{request_id}/challenge":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "PUT /api/account/device-requests/{request_id}/reveal":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "PUT /api/account/device-requests/{request_id}/answer":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "DELETE /api/account/device-requests/{request_id}":
    '{"request":[null,{"id":"string","isOwn":"boolean","commitment":"string","expiresAt":"integer","challenge":[null,{"recipient":"string","signingKey":"string","nonce":"string","proof":["string",null]}],"reveal":[null,{"recipient":"string","nonce":"string"}],"isAnswered":"boolean","answer":[null,{"copy":"string","heads":"string"}]}]}',
  "GET /api/forms/{form_id}/stats":
    '{"formId":"string","period":"string","stats":{"totalSubmissions":"integer","periodSubmissions":"integer","avgPerDay":"number","timeline":[{"date":"string","count":"integer"}]}}',
  "GET /api/forms/{form_id}/public":
    '{"form":{"id":"string","publicKey":{"kty":"string","n":"string","e":"string"},"keyVersion":"integer","keyFingerprint":"string","hybridPublicKey?":{"kty":"string","alg":"string","pub":"string"},"hybridKeyFingerprint?":"string","settings":{"encryption":"boolean","piiStrip":"boolean","country":["string",null],"piiTypes":[null,["string"]]}}}',
  "GET /api/forms/{form_id}/submissions":
    '{"submissions":[{"id":"string","formId":"string","payload":{},"keyVersion":"integer","timestamp":"integer","receivedAt":"integer"}],"total":"integer","nextCursor":["string",null]}',
  "DELETE /api/forms/{form_id}/submissions":
    '{"success":"boolean","deleted":{"submissionsDeleted":"integer","submissionsLeft?":"integer"}}',
  "POST /api/forms/{form_id}/submissions":
    '{"success":"boolean","submission":{"id":"string","timestamp":"integer","receivedAt":"integer"}}',
  "GET /api/forms/{form_id}/submissions/{submission_id}":
    '{"submission":{"id":"string","formId":"string","payload":{},"keyVersion":"integer","timestamp":"integer","receivedAt":"integer"}}',
  "DELETE /api/forms/{form_id}/submissions/{submission_id}":
    '{"success":"boolean","deleted":{"submissionId":"string"}}',
  "POST /api/forms/{form_id}/submissions/delete":
    '{"success":"boolean","deleted":{"submissionsDeleted":"integer","submissionsLeft?":"integer"}}',
  "GET /api/forms/{form_id}/submissions/bin":
    '{"submissions":[{"id":"string","formId":"string","payload":{},"keyVersion":"integer","timestamp":"integer","receivedAt":"integer","binnedAt":"integer","purgeAt":"integer"}],"total":"integer","nextCursor":["string",null]}',
  "POST /api/forms/{form_id}/submissions/bin":
    '{"success":"boolean","binned":{"submissionsBinned":"integer","submissionsDeleted":"integer","hasMore":"boolean"}}',
  "DELETE /api/forms/{form_id}/submissions/bin":
    '{"success":"boolean","deleted":{"submissionsDeleted":"integer","submissionsLeft?":"integer"}}',
  "POST /api/forms/{form_id}/submissions/bin/restore":
    '{"success":"boolean","restored":{"submissionsRestored":"integer","hasMore":"boolean"}}',
  "GET /api/forms/{form_id}/webhook-secret":
    '{"secret":"string","previousSecretExpiresAt?":"integer","earlierSecretsExpireAt?":["integer"]}',
  "POST /api/forms/{form_id}/webhook-secret/rotate":
    '{"secret":"string","previousSecretExpiresAt":"integer","earlierSecretsExpireAt?":["integer"]}',
  "POST /api/forms/{form_id}/webhook/test":
    '{"success":"boolean","delivery":{"id":"string","event":"string","timestamp":"integer","status":"string","statusCode?":"integer","duration?":"integer","error?":"string","errorCode?":"string","retryCount":"integer","nextAttemptAt?":"integer","test?":"boolean"}}',
  "GET /api/forms/{form_id}/webhook/logs":
    '{"logs":[{"id":"string","event":"string","timestamp":"integer","status":"string","statusCode?":"integer","duration?":"integer","error?":"string","errorCode?":"string","retryCount":"integer","nextAttemptAt?":"integer","test?":"boolean"}],"nextCursor":["string",null]}',
  "GET /api/forms/{form_id}/webhook/logs/{delivery_id}":
    '{"log":{"id":"string","event":"string","timestamp":"integer","status":"string","statusCode?":"integer","duration?":"integer","error?":"string","errorCode?":"string","retryCount":"integer","nextAttemptAt?":"integer","test?":"boolean","attempts":[{"number":"integer","startedAt":"integer","duration?":"integer","statusCode?":"integer","error?":"string","errorCode?":"string","url":"string","repeatReason?":"string"}],"body?":["string",null]}}',
  "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend": '{"success":"boolean","delivery":{"id":"string"}}',
};
