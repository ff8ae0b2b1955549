// Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.

/**
 * How a 302 or 303 of the webhook's receiver is followed. `post`: the event is posted again at its target, so that a page at the end of a redirect, to a sign-in, say, never counts as delivered. `get`: the target is asked for without the event, and its 2xx counts; for receivers that answer by redirect, such as Google Apps Script.
 */
export type WebhookRedirectsInput = "post" | "get";
/**
 * A type of personal data that is found and stripped.
 */
export type PiiTypeInput =
  | "EMAIL_ADDRESS"
  | "PHONE_NUMBER"
  | "CREDIT_CARD"
  | "IBAN_CODE"
  | "IP_ADDRESS"
  | "MAC_ADDRESS"
  | "US_SSN"
  | "US_ITIN"
  | "UK_NINO"
  | "UK_NHS"
  | "CRYPTO"
  | "URL_CREDENTIALS"
  | "URL"
  | "DATE"
  | "POSTCODE"
  | "US_NPI"
  | "US_MBI"
  | "US_ABA"
  | "US_PASSPORT"
  | "UK_PASSPORT"
  | "UK_DRIVING_LICENCE"
  | "CA_SIN"
  | "AU_TFN"
  | "IN_AADHAAR"
  | "PL_PESEL"
  | "SE_PERSONNUMMER"
  | "ES_NIF"
  | "ES_NIE"
  | "IT_FISCAL_CODE"
  | "PERSON_NAME"
  | "POSTAL_ADDRESS"
  | "DATE_OF_BIRTH"
  | "GENDER"
  | "USERNAME"
  | "PASSWORD"
  | "CARD_DETAILS";
/**
 * How a 302 or 303 of the webhook's receiver is followed. `post`: the event is posted again at its target, so that a page at the end of a redirect, to a sign-in, say, never counts as delivered. `get`: the target is asked for without the event, and its 2xx counts; for receivers that answer by redirect, such as Google Apps Script.
 */
export type WebhookRedirects = "post" | "get";
/**
 * A type of personal data that is found and stripped.
 */
export type PiiType =
  | "EMAIL_ADDRESS"
  | "PHONE_NUMBER"
  | "CREDIT_CARD"
  | "IBAN_CODE"
  | "IP_ADDRESS"
  | "MAC_ADDRESS"
  | "US_SSN"
  | "US_ITIN"
  | "UK_NINO"
  | "UK_NHS"
  | "CRYPTO"
  | "URL_CREDENTIALS"
  | "URL"
  | "DATE"
  | "POSTCODE"
  | "US_NPI"
  | "US_MBI"
  | "US_ABA"
  | "US_PASSPORT"
  | "UK_PASSPORT"
  | "UK_DRIVING_LICENCE"
  | "CA_SIN"
  | "AU_TFN"
  | "IN_AADHAAR"
  | "PL_PESEL"
  | "SE_PERSONNUMMER"
  | "ES_NIF"
  | "ES_NIE"
  | "IT_FISCAL_CODE"
  | "PERSON_NAME"
  | "POSTAL_ADDRESS"
  | "DATE_OF_BIRTH"
  | "GENDER"
  | "USERNAME"
  | "PASSWORD"
  | "CARD_DETAILS";
/**
 * What was submitted: sealed, or plain.
 */
export type Payload = SealedPayload | HybridPayload | PlainPayload;

export interface Operations {
  /**
   * List your sessions, the newest first
   */
  "GET /api/sessions": {
    answer: SessionList;
  };
  /**
   * End a session
   */
  "DELETE /api/sessions/{session_id}": {
    path: {
      /**
       * The session's id.
       */
      session_id: string;
    };
    /**
     * The session has ended.
     */
    answer: {
      success: true;
    };
  };
  /**
   * End all other sessions
   */
  "POST /api/sessions/end-others": {
    /**
     * The other sessions have ended.
     */
    answer: {
      /**
       * How many there were.
       */
      ended: number;
    };
  };
  /**
   * Move your account to another email address
   */
  "POST /api/account/address": {
    body: {
      /**
       * The other address.
       */
      email: string;
    };
    answer: {
      account: OwnAccount;
    };
  };
  /**
   * End a move to another address that still waits
   */
  "DELETE /api/account/address": {
    answer: {
      account: OwnAccount;
    };
  };
  /**
   * Get your own account
   */
  "GET /api/account": {
    answer: {
      account: OwnAccount;
    };
  };
  /**
   * Change your own name
   */
  "PATCH /api/account": {
    body: {
      /**
       * Another name, at most 100 characters.
       */
      name: string;
    };
    answer: {
      account: OwnAccount;
    };
  };
  /**
   * Get what would go with your account
   */
  "GET /api/account/deletion": {
    answer: AccountDeletion;
  };
  /**
   * Delete your account, after 30 days
   */
  "POST /api/account/deletion": {
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "DELETE_ACCOUNT";
    };
    answer: OrganizationDeletion;
  };
  /**
   * Keep your account after all
   */
  "DELETE /api/account/deletion": {
    answer: {
      account: OwnAccount;
    };
  };
  /**
   * Delete the organization, after 30 days
   */
  "POST /api/organization/deletion": {
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "DELETE_ORGANIZATION";
    };
    answer: OrganizationDeletion;
  };
  /**
   * Keep the organization after all
   */
  "DELETE /api/organization/deletion": {
    answer: OrganizationDeletion;
  };
  /**
   * Export everything that the instance knows about you
   */
  "GET /api/account/export": {
    /**
     * Everything about the person who asks.
     */
    answer: {
      format: "sealpost-account/1";
      /**
       * Milliseconds since the Unix epoch.
       */
      exportedAt: number;
      account: {
        [k: string]: unknown | undefined;
      };
      addressMove: {
        [k: string]: unknown | undefined;
      } | null;
      personalKey: {
        [k: string]: unknown | undefined;
      } | null;
      linkedSignIns: {
        [k: string]: unknown | undefined;
      }[];
      passkeys: {
        [k: string]: unknown | undefined;
      }[];
      keyCopies: {
        [k: string]: unknown | undefined;
      }[];
      formerKeys: {
        [k: string]: unknown | undefined;
      }[];
      sessions: {
        [k: string]: unknown | undefined;
      }[];
      organizations: {
        [k: string]: unknown | undefined;
      }[];
      apiKeys: {
        [k: string]: unknown | undefined;
      }[];
      invitations: {
        [k: string]: unknown | undefined;
      }[];
      emails: {
        [k: string]: unknown | undefined;
      }[];
      auditEntries: {
        [k: string]: unknown | undefined;
      }[];
      [k: string]: unknown | undefined;
    };
  };
  /**
   * List the organizations that you belong to
   */
  "GET /api/organizations": {
    answer: OrganizationList;
  };
  /**
   * Make another organization
   */
  "POST /api/organizations": {
    body: {
      /**
       * 1 to 100 characters.
       */
      name: string;
    };
    answer: {
      organization: Organization;
    };
  };
  /**
   * Act for another organization
   */
  "POST /api/organizations/{organization_id}/switch": {
    path: {
      /**
       * The organization's id, `acc_…`.
       */
      organization_id: string;
    };
    answer: {
      organization: Organization;
    };
  };
  /**
   * Rename the organization
   */
  "PATCH /api/organization": {
    body: {
      /**
       * 1 to 100 characters.
       */
      name: string;
    };
    answer: {
      organization: Organization;
    };
  };
  /**
   * Require a second factor of all members
   */
  "PUT /api/organization/second-factor": {
    body: {
      /**
       * From when on it requires a second factor of its members; null: it does not.
       */
      requiredFrom: number | null;
    };
    answer: SecondFactorRule;
  };
  /**
   * Require a recovery key of the organization
   */
  "PUT /api/organization/recovery": {
    body: {
      /**
       * Whether the service takes envelopes only while the signed list of members has a recovery key, and keeps the last one in it.
       */
      requireRecovery: boolean;
    };
    answer: RecoveryRule;
  };
  /**
   * List the organization's members, the oldest first
   */
  "GET /api/members": {
    answer: MemberList;
  };
  /**
   * Give a member another role or other forms
   */
  "PATCH /api/members/{member_id}": {
    path: {
      /**
       * The person's id, `acc_…`.
       */
      member_id: string;
    };
    body: {
      /**
       * `owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.
       */
      role?: "owner" | "manager" | "reader" | "developer" | "auditor";
      /**
       * The ids of forms, for the roles reader and developer alone.
       *
       * @maxItems 500
       */
      forms?: string[];
    };
    answer: {
      member: Member;
      /**
       * The forms whose webhook address they were the last to choose, by session or by an API key that they made, and could not choose now. Events are still sent there.
       */
      webhookForms: {
        id: string;
        name: string;
      }[];
    };
  };
  /**
   * Remove a member
   */
  "DELETE /api/members/{member_id}": {
    path: {
      /**
       * The person's id, `acc_…`.
       */
      member_id: string;
    };
    /**
     * They belong to the organization no longer.
     */
    answer: {
      success: true;
      /**
       * The forms whose webhook address they were the last to choose, by session or by an API key that they made, and could not choose now. Events are still sent there.
       */
      webhookForms: {
        id: string;
        name: string;
      }[];
    };
  };
  /**
   * Leave the organization
   */
  "POST /api/members/leave": {
    /**
     * You belong to the organization no longer.
     */
    answer: {
      success: true;
    };
  };
  /**
   * Get the organization's signed list of members
   */
  "GET /api/member-list": {
    query?: {
      /**
       * The number of an entry of the page.
       */
      entry?: number;
      /**
       * The first entry to get, without `entry`: this one and the next, up to 4,096.
       */
      from?: number;
    };
  };
  /**
   * Add an entry to the organization's signed list of members
   */
  "POST /api/member-list": {
    body: {
      /**
       * Its two lines, each with its line feed.
       */
      entry: string;
      /**
       * The entry after it. A key that `entry` puts into the list signs it, as a rule.
       */
      next?: string;
      /**
       * The lines of the file of names for the commitments in the entries that the list does not have yet: each with the salt and the name that it is to.
       *
       * @maxItems 2
       */
      names?: {
        commitment: string;
        salt: string;
        name: string;
      }[];
    };
    answer: {
      /**
       * The new end of the list.
       */
      head: {
        number: number;
        hash: string;
      };
    };
  };
  /**
   * Give back entries of the signed list of members that the service has lost
   */
  "POST /api/member-list/lost": {
    body: {
      /**
       * The entries that follow the newest one of the service, one after the other.
       *
       * @minItems 1
       * @maxItems 12
       */
      entries: string[];
      /**
       * The lines of the file of names for the commitments in the entries, of which some may be missing. Those that do not fit are not kept.
       *
       * @maxItems 12
       */
      names?: {
        commitment: string;
        salt: string;
        name: string;
      }[];
    };
    answer: {
      /**
       * The new end of the list.
       */
      head: {
        number: number;
        hash: string;
      };
    };
  };
  /**
   * Get the names next to the signed list of members
   */
  "GET /api/member-list/names": {};
  /**
   * List who is being brought into the signed list, the oldest first
   */
  "GET /api/admissions": {
    /**
     * Those that have not ended.
     */
    answer: {
      admissions: Admission[];
    };
  };
  /**
   * Offer to bring a person into the signed list
   */
  "POST /api/admissions": {
    body: {
      /**
       * Two lines, the terms and their signature (SPECIFICATION.md section 19), each with its line feed.
       */
      terms: string;
    };
    answer: Admission;
  };
  /**
   * Get an admission with its answer
   */
  "GET /api/admissions/{admission_id}": {
    path: {
      /**
       * The admission's id, `adm_…`.
       */
      admission_id: string;
    };
    /**
     * What an owner or a manager checks, and finishes.
     */
    answer: {
      admission: Admission;
      answer: string | null;
    };
  };
  /**
   * Take an admission back
   */
  "DELETE /api/admissions/{admission_id}": {
    path: {
      /**
       * The admission's id, `adm_…`.
       */
      admission_id: string;
    };
    /**
     * It was done.
     */
    answer: {
      success: true;
    };
  };
  /**
   * Refuse an answer that was not made with the link
   */
  "POST /api/admissions/{admission_id}/refusal": {
    path: {
      /**
       * The admission's id, `adm_…`.
       */
      admission_id: string;
    };
    /**
     * It was done.
     */
    answer: {
      success: true;
    };
  };
  /**
   * List where somebody wants to bring you into a signed list, the newest first
   */
  "GET /api/account/admissions": {
    /**
     * Those that have not ended.
     */
    answer: {
      admissions: {
        /**
         * The admission's id, `adm_…`.
         */
        id: string;
        organization: {
          id: string;
          name: string;
        };
        /**
         * Milliseconds since the Unix epoch.
         */
        endsAt: number;
        answeredAt: number | null;
      }[];
    };
  };
  /**
   * Get the terms on which you are brought into an organization's signed list
   */
  "GET /api/account/admissions/{admission_id}": {
    path: {
      /**
       * The admission's id, `adm_…`.
       */
      admission_id: string;
    };
    query?: {
      /**
       * The number of an entry of the page.
       */
      entry?: number;
    };
    /**
     * The terms, with the list to verify them with.
     */
    answer: {
      organization: {
        id: string;
        name: string;
      };
      /**
       * Two lines, the terms and their signature (SPECIFICATION.md section 19), each with its line feed.
       */
      terms: string;
      /**
       * A page of the organization's signed list (SPECIFICATION.md section 14), the newest or the one that has `entry`. The whole list is to be verified from the link's head.
       */
      list: string;
      /**
       * The file of names next to the list (SPECIFICATION.md section 14).
       */
      names: string;
      answeredAt: number | null;
    };
  };
  /**
   * Answer with the public halves of your personal key
   */
  "POST /api/account/admissions/{admission_id}/answer": {
    path: {
      /**
       * The admission's id, `adm_…`.
       */
      admission_id: string;
    };
    body: {
      /**
       * Three lines, each with its line feed (SPECIFICATION.md section 19): the answer with the public halves of the person's key, its signature by this key, and the proof, a signature by the key that follows from the link's secret.
       */
      answer: string;
    };
    /**
     * It was done.
     */
    answer: {
      success: true;
    };
  };
  /**
   * List the heads of signed lists that you have signed with your personal key
   */
  "GET /api/account/signed-heads": {
    /**
     * At most one for each organization that you belong to.
     */
    answer: {
      signedHeads: SignedHead[];
    };
  };
  /**
   * Keep the head of an organization's signed list that you have signed with your personal key
   */
  "PUT /api/account/signed-heads/{organization_id}": {
    path: {
      /**
       * The organization's id, `acc_…`.
       */
      organization_id: string;
    };
    body: {
      /**
       * Two lines, the head and its signature (SPECIFICATION.md section 22), each with its line feed.
       */
      signedHead: string;
    };
    answer: {
      signedHead: SignedHead;
    };
  };
  /**
   * List the open invitations, newest first
   */
  "GET /api/invitations": {
    answer: InvitationList;
  };
  /**
   * Invite somebody to the organization
   */
  "POST /api/invitations": {
    body: {
      /**
       * Who is invited. The invitation works for this address alone.
       */
      email: string;
      /**
       * `owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.
       */
      role: "owner" | "manager" | "reader" | "developer" | "auditor";
      /**
       * The ids of forms, for the roles reader and developer alone.
       *
       * @maxItems 500
       */
      forms?: string[];
    };
    answer: CreatedInvitation;
  };
  /**
   * Take an invitation back
   */
  "DELETE /api/invitations/{invitation_id}": {
    path: {
      /**
       * The invitation's id, `inv_…`.
       */
      invitation_id: string;
    };
    answer: {
      success: true;
      /**
       * The invitation's id.
       */
      revoked: string;
    };
  };
  /**
   * See what a link invites to
   */
  "POST /api/invitations/find": {
    body: {
      /**
       * The part of the link after the #.
       */
      token: string;
    };
    answer: FoundInvitation;
  };
  /**
   * Accept an invitation
   */
  "POST /api/invitations/accept": {
    body: {
      /**
       * The part of the link after the #.
       */
      token: string;
    };
    answer: {
      success: true;
      /**
       * The organization that you belong to now.
       */
      organizationId: string;
    };
  };
  /**
   * Hand a form to another organization that you own
   */
  "POST /api/forms/{form_id}/hand-over": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * The other organization, `acc_…`. You own both.
       */
      organizationId: string;
      /**
       * What becomes of the form's webhook; needed where it has an address. Null: the address is removed, and the secret replaced at once.
       */
      webhook?: {
        /**
         * The form's webhook address, to which its deliveries continue.
         */
        url: string;
        /**
         * `new`: another secret signs from now on, next to the ones before for 24 hours. `kept`: the same one, which the organization before knows; the form says so until it is rotated.
         */
        secret: "new" | "kept";
      } | null;
    };
    answer: {
      success: true;
      /**
       * The organization that has the form now.
       */
      organizationId: string;
      webhook?: HandedOverWebhook;
    };
  };
  /**
   * Have what the organization stores count for you
   */
  "POST /api/usage/take-over": {
    /**
     * It counts for you.
     */
    answer: {
      success: true;
    };
  };
  /**
   * Get the instance and its health
   */
  "GET /api/instance": {
    answer: Instance;
  };
  /**
   * List what operators did, the newest first
   */
  "GET /api/instance/log": {
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
    };
    answer: InstanceLog;
  };
  /**
   * List the organizations of the instance
   */
  "GET /api/instance/organizations": {
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      /**
       * A part of a name or an email address, or an id.
       */
      search?: string;
      /**
       * `newest` unless it is said.
       */
      sort?: "newest" | "name" | "storage";
    };
    answer: InstanceOrganizationList;
  };
  /**
   * Put an organization on another plan
   */
  "PATCH /api/instance/organizations/{organization_id}": {
    path: {
      /**
       * The organization's id, `acc_…`.
       */
      organization_id: string;
    };
    body: {
      plan: "free" | "starter" | "pro" | "enterprise";
    };
    /**
     * The organization after the change.
     */
    answer: {
      organization: InstanceOrganization;
    };
  };
  /**
   * List the accounts of the instance
   */
  "GET /api/instance/accounts": {
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      /**
       * A part of a name or an email address, or an id.
       */
      search?: string;
      /**
       * `newest` unless it is said.
       */
      sort?: "newest" | "address";
    };
    answer: InstanceAccountList;
  };
  /**
   * Disable or enable an account, or vouch for its address
   */
  "PATCH /api/instance/accounts/{account_id}": {
    path: {
      /**
       * The person's id, `acc_…`.
       */
      account_id: string;
    };
    body: {
      /**
       * True: nobody gets in. False: its owner does again.
       */
      disabled?: boolean;
      /**
       * Vouches for the email address.
       */
      verified?: true;
      /**
       * Disables also the only owner of an organization of several members.
       */
      leavesWithoutOwner?: boolean;
    };
    /**
     * The account after the change.
     */
    answer: {
      account: InstanceAccount;
    };
  };
  /**
   * Sign a person out everywhere
   */
  "DELETE /api/instance/accounts/{account_id}/sessions": {
    path: {
      /**
       * The person's id, `acc_…`.
       */
      account_id: string;
    };
    /**
     * They have ended.
     */
    answer: {
      success: true;
      /**
       * How many there were.
       */
      ended: number;
    };
  };
  /**
   * Revoke the API keys that a person made
   */
  "DELETE /api/instance/accounts/{account_id}/api-keys": {
    path: {
      /**
       * The person's id, `acc_…`.
       */
      account_id: string;
    };
    /**
     * They have ended.
     */
    answer: {
      success: true;
      /**
       * How many there were.
       */
      ended: number;
    };
  };
  /**
   * List the open invitations to the instance, the newest first
   */
  "GET /api/instance/invitations": {
    answer: InstanceInvitationList;
  };
  /**
   * Invite somebody to make an account
   */
  "POST /api/instance/invitations": {
    body: {
      /**
       * Who is invited. The invitation works for this address alone.
       */
      email: string;
    };
    answer: CreatedInstanceInvitation;
  };
  /**
   * Take an invitation to the instance back
   */
  "DELETE /api/instance/invitations/{invitation_id}": {
    path: {
      /**
       * The invitation's id, `inv_…`.
       */
      invitation_id: string;
    };
    /**
     * Its links are worth nothing now.
     */
    answer: {
      success: true;
      /**
       * The invitation's id.
       */
      revoked: string;
    };
  };
  /**
   * List the emails that did not arrive, the newest first
   */
  "GET /api/instance/emails": {
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
    };
    answer: FailedMailList;
  };
  /**
   * Try to send an email again
   */
  "POST /api/instance/emails/{mail_id}/retry": {
    path: {
      /**
       * The email's id.
       */
      mail_id: string;
    };
    /**
     * The email is due now.
     */
    answer: {
      success: true;
    };
  };
  /**
   * List the account's API keys, newest first
   */
  "GET /api/api-keys": {
    answer: ApiKeyList;
  };
  /**
   * Create an API key
   */
  "POST /api/api-keys": {
    body: {
      /**
       * 1 to 50 characters, at least one of them visible and none a control character.
       */
      name: string;
      /**
       * `forms:read` lists and views forms · `forms:write` creates, changes and deletes them · `submissions:read` reads submissions (still sealed) · `submissions:delete` deletes them.
       *
       * @minItems 1
       */
      permissions?: ("forms:read" | "forms:write" | "submissions:read" | "submissions:delete")[];
      /**
       * Limits the key to these forms: any other is one that does not exist for it, it makes none, and it reads no usage.
       *
       * @minItems 1
       * @maxItems 100
       */
      forms?: string[] | null;
      /**
       * When the key ends, with its zone: `2027-01-31T12:00:00Z`. The owners get an email a week before.
       */
      expiresAt?: string | null;
    };
    answer: CreatedApiKey;
  };
  /**
   * Revoke an API key
   */
  "DELETE /api/api-keys/{key_id}": {
    path: {
      /**
       * The key's id, `key_…`.
       */
      key_id: string;
    };
    answer: RevokedApiKey;
  };
  /**
   * List what was done to the account, newest first
   */
  "GET /api/audit-log": {
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      /**
       * Only this action.
       */
      action?:
        | "account.created"
        | "account.verified"
        | "account.disabled"
        | "account.enabled"
        | "account.sessions_ended"
        | "account.restored"
        | "account.plan_changed"
        | "account.keys_revoked"
        | "account.invited"
        | "account.invitation_ended"
        | "account.invitation_accepted"
        | "operator.named"
        | "operator.ended"
        | "mail.tried_again"
        | "account.renamed"
        | "account.address_move_requested"
        | "account.address_move_refused"
        | "account.address_moved"
        | "account.address_move_undone"
        | "account.exported"
        | "account.deletion_requested"
        | "account.kept"
        | "organization.deletion_requested"
        | "organization.kept"
        | "session.started"
        | "session.ended"
        | "session.confirmed"
        | "session.revoked"
        | "session.others_revoked"
        | "sign_in.failed"
        | "sign_in.failures_counted"
        | "sign_in.limited"
        | "password.changed"
        | "password.limited"
        | "password.reset"
        | "password.reset_by_mail"
        | "second_factor.begun"
        | "second_factor.enabled"
        | "second_factor.disabled"
        | "second_factor.reset"
        | "second_factor.locked"
        | "second_factor.backup_code_used"
        | "second_factor.backup_codes_replaced"
        | "identity.linked"
        | "identity.unlinked"
        | "passkey.added"
        | "passkey.removed"
        | "personal_key.made"
        | "personal_key.replaced"
        | "personal_key.restored"
        | "personal_key.given"
        | "key_copy.added"
        | "key_copy.removed"
        | "key_copy.restored"
        | "key_copy.read"
        | "passkey.refused"
        | "api_key.created"
        | "api_key.revoked"
        | "organization.created"
        | "organization.renamed"
        | "organization.usage_taken_over"
        | "organization.second_factor_rule_changed"
        | "organization.recovery_rule_changed"
        | "member.invited"
        | "member.invitation_ended"
        | "member.joined"
        | "member.changed"
        | "member.removed"
        | "member.left"
        | "member.address_move_undone"
        | "member_list.changed"
        | "member_list.recovered"
        | "member_list.given_back"
        | "admission.made"
        | "admission.answered"
        | "admission.answer_refused"
        | "admission.ended"
        | "envelope.written"
        | "envelopes.removed"
        | "envelopes.restored"
        | "key_log.entry_added"
        | "key_log.removed"
        | "form.handed_over"
        | "form.taken_over"
        | "form.created"
        | "form.updated"
        | "form.deleted"
        | "form.hold_set"
        | "form.hold_lifted"
        | "form.keys_rotated"
        | "form.keys_closed"
        | "webhook_secret.shown"
        | "webhook_secret.rotated"
        | "mails.turned_on"
        | "mails.turned_off"
        | "submissions.read"
        | "submissions.read_counted"
        | "submissions.exported"
        | "submissions.binned"
        | "submissions.restored"
        | "submissions.bin_emptied"
        | "submissions.deleted"
        | "submissions.deleted_singly"
        | "submissions.deletions_counted"
        | "audit_log.exported"
        | "audit_log.shortened";
      /**
       * Only actions of this kind, those that begin with it and a dot: `form`, `submissions`, `member`, say.
       */
      kind?: string;
      /**
       * Only what sessions of this person did: their id, `acc_…`.
       */
      person?: string;
      /**
       * Only what was done to this form, API key, session, member or invitation: its id.
       */
      target?: string;
      /**
       * Only what this session or API key did: its id.
       */
      actor?: string;
      /**
       * Only entries of this millisecond or later.
       */
      from?: number;
      /**
       * Only entries of this millisecond or earlier.
       */
      to?: number;
    };
    answer: AuditLog;
  };
  /**
   * Export the audit log as NDJSON, oldest first
   */
  "GET /api/audit-log/export": {
    query?: {
      /**
       * Only entries after this number: the `sequence` of the last one that you have.
       */
      after?: number;
    };
  };
  /**
   * Remove the oldest entries of the audit log
   */
  "POST /api/audit-log/shorten": {
    body: {
      /**
       * The last entry that goes: its number and hash, as the export has them.
       */
      until: {
        sequence: number;
        /**
         * SHA-256 in hexadecimal digits.
         */
        hash: string;
      };
    };
    answer: ShortenedAuditLog;
  };
  /**
   * Reserve an id for a form
   */
  "POST /api/forms/reservations": {
    answer: {
      /**
       * The id, `form_…`.
       */
      formId: string;
      /**
       * Milliseconds since the Unix epoch.
       */
      expiresAt: number;
    };
  };
  /**
   * List the account's forms, newest first
   */
  "GET /api/forms": {
    query?: {
      /**
       * How many at most; up to 1000 where it is left out.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
    };
    answer: FormList;
  };
  /**
   * Create a form
   */
  "POST /api/forms": {
    body: {
      /**
       * 1 to 100 characters after trimming, at least one of them visible and none a control character.
       */
      name: string;
      settings?: {
        /**
         * Accept only submissions that were sealed in the browser.
         */
        encryption?: boolean;
        /**
         * Strip common patterns of personal data before sealing.
         */
        piiStrip?: boolean;
        /**
         * An HTTPS URL of at most 2,048 characters without user name and password, white space, backslashes and characters that are not seen, whose host is not in a private network; null for nowhere. A host with letters beyond ASCII is stored by its ASCII name (`xn--…`).
         */
        webhookUrl?: string | null;
        webhookRedirects?: WebhookRedirectsInput;
        /**
         * @minItems 1
         * @maxItems 50
         */
        allowedOrigins?: string[];
        /**
         * The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.
         */
        country?: string | null;
        /**
         * The types of personal data that `piiStrip` strips; null for all.
         *
         * @minItems 1
         */
        piiTypes?: PiiTypeInput[] | null;
        /**
         * The most bytes that the body of one submission may have. With encryption at least 3072, with a hybrid key 4096: an empty sealed submission takes nearly as much.
         */
        submissionBytesMax?: number;
        /**
         * How many submissions the form takes in an hour; null for any number.
         */
        submissionsPerHour?: number | null;
        /**
         * For how many days submissions that were moved to the bin can be restored; 0 deletes at once.
         */
        binDays?: number;
      };
      /**
       * Bring your own key: a JWK with kty, n and e of a pair that you made; alg, use, key_ops, ext and kid may be there and are dropped. Then the service never sees the private key.
       */
      publicKey?: {
        kty: "RSA";
        /**
         * An odd number of 2,048 to 4,096 bits, base64url without padding.
         */
        n: string;
        e: "AQAB";
        alg?: unknown;
        use?: unknown;
        key_ops?: unknown;
        ext?: unknown;
        kid?: unknown;
      };
      /**
       * The hybrid public key of the same version as `publicKey`, which must be there too: a JWK with kty, alg and pub.
       */
      hybridPublicKey?: {
        kty: "AKP";
        alg: "MLKEM768-X25519";
        /**
         * 1,216 bytes, base64url without padding.
         */
        pub: string;
      };
      /**
       * Whether the service makes a hybrid pair as well, against quantum computers. Default: false.
       */
      hybrid?: boolean;
      /**
       * The id that `reserveForm` gave; only together with `publicKey`, so that a request whose answer was lost can be recognized.
       */
      formId?: string;
      /**
       * An envelope: an age file of at most 393,216 bytes for 1 to 64 readers, base64url without padding. It is stored in the same step as the form, which needs `publicKey` and `formId` then: a form with an envelope never exists without it.
       */
      envelope?: string;
      /**
       * An entry of the form's key log (SPECIFICATION.md section 20): its two lines, each with its line feed. It names the newest key of the form, and is verified as everybody does.
       */
      keyLogEntry?: string;
    };
    answer: {
      form: CreatedForm;
    };
  };
  /**
   * Get a form with its settings and embed code
   */
  "GET /api/forms/{form_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: {
      form: Form;
    };
  };
  /**
   * Change a form's name or settings
   */
  "PATCH /api/forms/{form_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * 1 to 100 characters after trimming, at least one of them visible and none a control character.
       */
      name?: string;
      settings?: {
        /**
         * Accept only submissions that were sealed in the browser.
         */
        encryption?: boolean;
        /**
         * Strip common patterns of personal data before sealing.
         */
        piiStrip?: boolean;
        /**
         * An HTTPS URL of at most 2,048 characters without user name and password, white space, backslashes and characters that are not seen, whose host is not in a private network; null for nowhere. A host with letters beyond ASCII is stored by its ASCII name (`xn--…`).
         */
        webhookUrl?: string | null;
        webhookRedirects?: WebhookRedirectsInput;
        /**
         * @minItems 1
         * @maxItems 50
         */
        allowedOrigins?: string[];
        /**
         * The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.
         */
        country?: string | null;
        /**
         * The types of personal data that `piiStrip` strips; null for all.
         *
         * @minItems 1
         */
        piiTypes?: PiiTypeInput[] | null;
        /**
         * The most bytes that the body of one submission may have. With encryption at least 3072, with a hybrid key 4096: an empty sealed submission takes nearly as much.
         */
        submissionBytesMax?: number;
        /**
         * How many submissions the form takes in an hour; null for any number.
         */
        submissionsPerHour?: number | null;
        /**
         * For how many days submissions that were moved to the bin can be restored; 0 deletes at once.
         */
        binDays?: number;
      };
    };
    answer: {
      form: UpdatedForm;
    };
  };
  /**
   * Delete a form and all its submissions
   */
  "DELETE /api/forms/{form_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "DELETE_FORM";
    };
    answer: DeletedForm;
  };
  /**
   * Give a form a new key pair
   */
  "POST /api/forms/{form_id}/rotate-keys": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    /**
     * Nothing, or the public keys of pairs of your own that the form has not had before.
     */
    body?: {
      /**
       * Bring your own key: a JWK with kty, n and e of a pair that you made; alg, use, key_ops, ext and kid may be there and are dropped. Then the service never sees the private key.
       */
      publicKey?: {
        kty: "RSA";
        /**
         * An odd number of 2,048 to 4,096 bits, base64url without padding.
         */
        n: string;
        e: "AQAB";
        alg?: unknown;
        use?: unknown;
        key_ops?: unknown;
        ext?: unknown;
        kid?: unknown;
      };
      /**
       * The hybrid public key of the same version as `publicKey`, which must be there too: a JWK with kty, alg and pub.
       */
      hybridPublicKey?: {
        kty: "AKP";
        alg: "MLKEM768-X25519";
        /**
         * 1,216 bytes, base64url without padding.
         */
        pub: string;
      };
      /**
       * Whether the service makes a hybrid pair as well, against quantum computers. Default: false.
       */
      hybrid?: boolean;
      /**
       * The version that this makes: 409 if another rotation came between.
       */
      keyVersion?: number;
      /**
       * An envelope: an age file of at most 393,216 bytes for 1 to 64 readers, base64url without padding. The next revision of the envelope in which the new version has its place, with its private key too; stored in the same step. Needs `publicKey`, `keyVersion` and `If-Match`, with the newest revision of that envelope or, where this begins it, of the form's last one below: versions 1 to 32 are in one, 33 to 64 in the next, and so on. With `If-None-Match: *` it is the form's first envelope.
       */
      envelope?: string;
      /**
       * Whether an owner rotates a form that has an envelope without one: its readers don't get the new key.
       */
      withoutEnvelope?: boolean;
      /**
       * Ends older versions of the form's key.
       */
      closeKeyVersions?: {
        /**
         * The lowest version that stays open, at most the newest.
         */
        below: number;
        /**
         * From when on submissions that are sealed to an older version are refused, in milliseconds since the Unix epoch; a past time is now. What has ended by then stays ended. `null` takes all of them again, without end.
         */
        at: number | null;
      };
      /**
       * An entry of the form's key log (SPECIFICATION.md section 20): its two lines, each with its line feed. It names the newest key of the form, and is verified as everybody does.
       */
      keyLogEntry?: string;
    };
    answer: {
      form: RotatedForm;
    };
  };
  /**
   * List the public keys of all key versions
   */
  "GET /api/forms/{form_id}/keys": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: FormKeys;
  };
  /**
   * Say that the private key of a version opened something
   */
  "POST /api/forms/{form_id}/keys/{version}/proved": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The key version, a whole number from 1 on.
       */
      version: string;
    };
    answer: {
      key: FormKey;
    };
  };
  /**
   * End older versions of a form's key
   */
  "POST /api/forms/{form_id}/keys/close": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    /**
     * Ends older versions of the form's key.
     */
    body: {
      /**
       * The lowest version that stays open, at most the newest.
       */
      below: number;
      /**
       * From when on submissions that are sealed to an older version are refused, in milliseconds since the Unix epoch; a past time is now. What has ended by then stays ended. `null` takes all of them again, without end.
       */
      at: number | null;
    };
    answer: FormKeys;
  };
  /**
   * Begin a form's key log, or change who may sign it
   */
  "POST /api/forms/{form_id}/keys/log": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * An entry of the form's key log (SPECIFICATION.md section 20): its two lines, each with its line feed. It names the newest key of the form, and is verified as everybody does.
       */
      entry: string;
    };
    answer: {
      /**
       * The new end of the log, which a page pins as `NUMBER-HASH`.
       */
      head: {
        number: number;
        hash: string;
      };
    };
  };
  /**
   * Give up a form's key log
   */
  "DELETE /api/forms/{form_id}/keys/log": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "REMOVE_KEY_LOG";
    };
    /**
     * The form has no key log any more.
     */
    answer: {
      success: true;
    };
  };
  /**
   * Get a form's key log
   */
  "GET /api/forms/{form_id}/keys/log": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * The first entry to get.
       */
      from?: number;
    };
  };
  /**
   * Say that a page pins none of the form's keys
   */
  "POST /api/forms/{form_id}/keys/refused": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * Those that the page pins.
       *
       * @minItems 1
       * @maxItems 32
       */
      fingerprints: string[];
    };
    /**
     * Heard, whether it counts or not.
     */
    answer: {
      success: true;
    };
  };
  /**
   * Set a legal hold on a form, or change it
   */
  "PUT /api/forms/{form_id}/hold": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * One line of at most 500 characters, such as the number of a case. Everybody who sees the form sees it.
       */
      reason?: string | null;
      /**
       * When owners are reminded, in milliseconds since the Unix epoch. The hold does not end by itself.
       */
      until?: number | null;
    };
    answer: HeldForm;
  };
  /**
   * Lift a form's legal hold
   */
  "DELETE /api/forms/{form_id}/hold": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: HeldForm;
  };
  /**
   * List a form's envelopes
   */
  "GET /api/forms/{form_id}/envelopes": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: EnvelopeList;
  };
  /**
   * Take a form back to key files
   */
  "DELETE /api/forms/{form_id}/envelopes": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: EnvelopeList;
  };
  /**
   * Get an envelope
   */
  "GET /api/forms/{form_id}/envelopes/{lowest_version}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The first of the 32 key versions that the envelope is for: 1, 33, 65 …
       */
      lowest_version: string;
    };
    query?: {
      /**
       * An older revision; absent: the newest.
       */
      revision?: number;
    };
  };
  /**
   * Store the next revision of an envelope
   */
  "PUT /api/forms/{form_id}/envelopes/{lowest_version}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The first of the 32 key versions that the envelope is for: 1, 33, 65 …
       */
      lowest_version: string;
    };
    body: {
      /**
       * An envelope: an age file of at most 393,216 bytes for 1 to 64 readers, base64url without padding.
       */
      envelope: string;
    };
    answer: {
      envelope: Envelope;
    };
  };
  /**
   * List the revisions of an envelope, newest first
   */
  "GET /api/forms/{form_id}/envelopes/{lowest_version}/revisions": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The first of the 32 key versions that the envelope is for: 1, 33, 65 …
       */
      lowest_version: string;
    };
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
    };
    answer: EnvelopeRevisionList;
  };
  /**
   * Restore the envelopes of a form that were removed last
   */
  "POST /api/forms/{form_id}/envelopes/restore": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * One of `removals`; absent: the latest.
       */
      removedAt?: number;
    };
    answer: EnvelopeList;
  };
  /**
   * Get what the account stores
   */
  "GET /api/usage": {
    answer: Usage;
  };
  /**
   * Get how long a form keeps its submissions
   */
  "GET /api/forms/{form_id}/retention": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: Retention;
  };
  /**
   * Set how long a form keeps its submissions
   */
  "PUT /api/forms/{form_id}/retention": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * Submissions received longer ago than this many days of 24 hours are deleted. Null: they are kept until somebody deletes them.
       */
      days: number | null;
    };
    answer: Retention;
  };
  /**
   * Get whether emails notify of the account's forms
   */
  "GET /api/notifications": {
    answer: AccountNotifications;
  };
  /**
   * Set whether emails notify of the account's forms
   */
  "PUT /api/notifications": {
    body: {
      /**
       * Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails have no content.
       */
      mail: boolean;
      /**
       * Whether owners get an email when the account's storage, or its audit log, is nearly full or full.
       */
      storage?: boolean;
    };
    answer: AccountNotifications;
  };
  /**
   * Get whether emails notify of a form
   */
  "GET /api/forms/{form_id}/notifications": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: Notifications;
  };
  /**
   * Set whether emails notify of a form
   */
  "PUT /api/forms/{form_id}/notifications": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails have no content.
       */
      mail: boolean;
    };
    answer: Notifications;
  };
  /**
   * Get your personal key's public halves, and the list of its sealed copies
   */
  "GET /api/account/personal-key": {
    answer: PersonalKey;
  };
  /**
   * Store your personal key's public halves and its first sealed copies
   */
  "POST /api/account/personal-key": {
    body: {
      /**
       * A hybrid recipient of age, `age1pq1…`.
       */
      recipient: string;
      /**
       * A public key of Ed25519, base64url of 32 bytes.
       */
      signingKey: string;
      /**
       * The first copies, one of them for a recovery sheet.
       *
       * @minItems 1
       * @maxItems 10
       */
      copies: {
        /**
         * How it opens: with a passphrase, a passkey, the recovery sheet, or another device. The file's one stanza is of that kind (specification, section 16).
         */
        way: "passphrase" | "passkey" | "sheet" | "device";
        /**
         * 1 to 60 characters, on one line.
         */
        name: string;
        /**
         * The sealed copy: an age file of at most 4096 bytes, in base64url without padding.
         */
        file: string;
      }[];
    };
    answer: PersonalKey;
  };
  /**
   * Replace your personal key by another one
   */
  "PUT /api/account/personal-key": {
    body: {
      /**
       * A hybrid recipient of age, `age1pq1…`.
       */
      recipient: string;
      /**
       * A public key of Ed25519, base64url of 32 bytes.
       */
      signingKey: string;
      /**
       * The first copies, one of them for a recovery sheet.
       *
       * @minItems 1
       * @maxItems 10
       */
      copies: {
        /**
         * How it opens: with a passphrase, a passkey, the recovery sheet, or another device. The file's one stanza is of that kind (specification, section 16).
         */
        way: "passphrase" | "passkey" | "sheet" | "device";
        /**
         * 1 to 60 characters, on one line.
         */
        name: string;
        /**
         * The sealed copy: an age file of at most 4096 bytes, in base64url without padding.
         */
        file: string;
      }[];
      /**
       * The signing key of the key in use: refused (409) if that is another by now.
       */
      replaces: string;
      /**
       * The key in use, sealed for the recipient of the one that takes its place.
       */
      formerCopy?: string;
      /**
       * Heads of signed lists, signed with the new key (SPECIFICATION.md section 22), one for each organization. Those that don't fit are left out.
       *
       * @maxItems 64
       */
      signedHeads?: {
        /**
         * The organization's id, `acc_…`.
         */
        organizationId: string;
        /**
         * Its two lines, each with its line feed.
         */
        signedHead: string;
      }[];
    };
    answer: PersonalKey;
  };
  /**
   * Bring a replaced personal key back
   */
  "POST /api/account/personal-key/restore": {
    body: {
      /**
       * A public key of Ed25519, base64url of 32 bytes.
       */
      signingKey: string;
      /**
       * The signing key of the key in use: refused (409) if that is another by now.
       */
      replaces: string;
      /**
       * The key in use, sealed for the recipient of the one that takes its place.
       */
      formerCopy?: string;
    };
    answer: PersonalKey;
  };
  /**
   * Get a sealed copy of your personal key
   */
  "GET /api/account/key-copies/{copy_id}": {
    path: {
      /**
       * The copy's id, `copy_…`.
       */
      copy_id: string;
    };
    answer: KeyCopyFile;
  };
  /**
   * Remove a sealed copy of your personal key
   */
  "DELETE /api/account/key-copies/{copy_id}": {
    path: {
      /**
       * The copy's id, `copy_…`.
       */
      copy_id: string;
    };
    answer: {
      copy: KeyCopy;
    };
  };
  /**
   * Add a sealed copy of your personal key
   */
  "POST /api/account/key-copies": {
    body: {
      /**
       * How it opens: with a passphrase, a passkey, the recovery sheet, or another device. The file's one stanza is of that kind (specification, section 16).
       */
      way: "passphrase" | "passkey" | "sheet" | "device";
      /**
       * 1 to 60 characters, on one line.
       */
      name: string;
      /**
       * The sealed copy: an age file of at most 4096 bytes, in base64url without padding.
       */
      file: string;
      /**
       * That of the key in the copy: refused (409) if another key is in use.
       */
      signingKey?: string;
    };
    answer: {
      copy: KeyCopy;
    };
  };
  /**
   * Restore a sealed copy of your personal key
   */
  "POST /api/account/key-copies/{copy_id}/restore": {
    path: {
      /**
       * The copy's id, `copy_…`.
       */
      copy_id: string;
    };
    answer: {
      copy: KeyCopy;
    };
  };
  /**
   * Get the open request of a new device
   */
  "GET /api/account/device-requests": {
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * Ask for your personal key on a new device
   */
  "POST /api/account/device-requests": {
    body: {
      /**
       * Base64url of 32 bytes.
       */
      commitment: string;
    };
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * Answer a new device's commitment, on a device on which the key is open
   */
  "PUT /api/account/device-requests/{request_id}/challenge": {
    path: {
      /**
       * The request's id, `dev_…`.
       */
      request_id: string;
    };
    body: {
      /**
       * A hybrid recipient of age, `age1pq1…`.
       */
      recipient: string;
      /**
       * Ed25519, base64url of 32 bytes.
       */
      signingKey: string;
      /**
       * Base64url of 16 random bytes.
       */
      nonce: string;
      /**
       * Null where the person compares codes.
       */
      proof: string | null;
    };
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * Reveal what the new device has committed to
   */
  "PUT /api/account/device-requests/{request_id}/reveal": {
    path: {
      /**
       * The request's id, `dev_…`.
       */
      request_id: string;
    };
    body: {
      /**
       * A hybrid recipient of age, `age1pq1…`.
       */
      recipient: string;
      /**
       * Base64url of 16 random bytes.
       */
      nonce: string;
    };
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * Give your personal key to a new device, sealed for it
   */
  "PUT /api/account/device-requests/{request_id}/answer": {
    path: {
      /**
       * The request's id, `dev_…`.
       */
      request_id: string;
    };
    body: {
      /**
       * The key, sealed for the new device: base64url.
       */
      copy: string;
      /**
       * What the open device has seen, signed and sealed for the new one: base64url of at most 1 MiB, for which it leaves out what has no room.
       */
      heads: string;
    };
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * End a new device's request
   */
  "DELETE /api/account/device-requests/{request_id}": {
    path: {
      /**
       * The request's id, `dev_…`.
       */
      request_id: string;
    };
    /**
     * The request of a new device, or null.
     */
    answer: {
      request: DeviceRequest | null;
    };
  };
  /**
   * Count what a form received
   */
  "GET /api/forms/{form_id}/stats": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      period?: "day" | "week" | "month" | "year";
    };
    answer: Statistics;
  };
  /**
   * What a browser needs to seal a submission
   */
  "GET /api/forms/{form_id}/public": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: PublicForm;
  };
  /**
   * List a form's submissions, newest first
   */
  "GET /api/forms/{form_id}/submissions": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      /**
       * Received at or after, in milliseconds since the Unix epoch.
       */
      from?: number;
      /**
       * Received at or before, in milliseconds since the Unix epoch.
       */
      to?: number;
    };
    answer: SubmissionList;
  };
  /**
   * Delete a form's submissions, all or those received before a moment
   */
  "DELETE /api/forms/{form_id}/submissions": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "DELETE_SUBMISSIONS";
      /**
       * Only those received before this, in milliseconds since the Unix epoch.
       */
      before?: number;
    };
    answer: DeletedSubmissions;
  };
  /**
   * Submit a form
   */
  "POST /api/forms/{form_id}/submissions": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body:
      | {
          /**
           * `sub_` and 26 characters (TypeID).
           */
          id: string;
          payload: SealedPayloadInput;
          /**
           * One of the form's key versions; for plain ones the newest when it is left out.
           */
          keyVersion: number;
          /**
           * When it was made, in milliseconds since the Unix epoch; now when it is left out.
           */
          timestamp?: number;
        }
      | {
          /**
           * `sub_` and 26 characters (TypeID).
           */
          id: string;
          payload: HybridPayloadInput;
          /**
           * One of the form's key versions; for plain ones the newest when it is left out.
           */
          keyVersion: number;
          /**
           * When it was made, in milliseconds since the Unix epoch; now when it is left out.
           */
          timestamp?: number;
        }
      | {
          /**
           * `sub_` and 26 characters (TypeID).
           */
          id?: string;
          payload: PlainPayloadInput;
          /**
           * One of the form's key versions; for plain ones the newest when it is left out.
           */
          keyVersion?: number;
          /**
           * When it was made, in milliseconds since the Unix epoch; now when it is left out.
           */
          timestamp?: number;
        };
    answer: AcceptedSubmission;
  };
  /**
   * Get one submission
   */
  "GET /api/forms/{form_id}/submissions/{submission_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The submission's id, `sub_…`.
       */
      submission_id: string;
    };
    answer: {
      submission: Submission;
    };
  };
  /**
   * Delete one submission
   */
  "DELETE /api/forms/{form_id}/submissions/{submission_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The submission's id, `sub_…`.
       */
      submission_id: string;
    };
    answer: DeletedSubmission;
  };
  /**
   * Delete up to 1,000 submissions by their ids
   */
  "POST /api/forms/{form_id}/submissions/delete": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    body: {
      /**
       * Those that the form does not have are passed over.
       *
       * @minItems 1
       * @maxItems 1000
       *
       * Items: `sub_` and 26 characters (TypeID).
       */
      ids: string[];
      /**
       * Deletes only what is in the form's bin. What was restored meanwhile is left, and counted in the answer.
       */
      onlyInBin?: true;
    };
    answer: DeletedSubmissions;
  };
  /**
   * List what is in a form's bin, the latest first
   */
  "GET /api/forms/{form_id}/submissions/bin": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      /**
       * Received at or after, in milliseconds since the Unix epoch.
       */
      from?: number;
      /**
       * Received at or before, in milliseconds since the Unix epoch.
       */
      to?: number;
    };
    answer: Bin;
  };
  /**
   * Move submissions to the bin, up to 1,000 by their ids or all before a moment
   */
  "POST /api/forms/{form_id}/submissions/bin": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * To the bin or not at all: 409 (`bin_off`) where `binDays` is 0.
       */
      restorable?: "true";
    };
    /**
     * Either `ids` or `before`.
     */
    body: {
      /**
       * Those that are not there are passed over.
       *
       * @minItems 1
       * @maxItems 1000
       *
       * Items: `sub_` and 26 characters (TypeID).
       */
      ids?: string[];
      /**
       * All that were received before this, in milliseconds since the Unix epoch.
       */
      before?: number;
    };
    answer: BinnedSubmissions;
  };
  /**
   * Delete for good what is in a form's bin, all or what was moved there before a moment
   */
  "DELETE /api/forms/{form_id}/submissions/bin": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query: {
      /**
       * Says that you mean it.
       */
      confirm: "EMPTY_BIN";
      /**
       * Only what was moved there before this, in milliseconds since the Unix epoch.
       */
      before?: number;
    };
    answer: DeletedSubmissions;
  };
  /**
   * Restore submissions from the bin, up to 1,000 by their ids or all
   */
  "POST /api/forms/{form_id}/submissions/bin/restore": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    /**
     * Either `ids` or `all`.
     */
    body: {
      /**
       * Those that are not there are passed over.
       *
       * @minItems 1
       * @maxItems 1000
       *
       * Items: `sub_` and 26 characters (TypeID).
       */
      ids?: string[];
      /**
       * All that is in the bin.
       */
      all?: true;
    };
    answer: RestoredSubmissions;
  };
  /**
   * Export a form's submissions as NDJSON, oldest first
   */
  "GET /api/forms/{form_id}/submissions/export": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * Received at or after, in milliseconds since the Unix epoch.
       */
      from?: number;
      /**
       * Received at or before, in milliseconds since the Unix epoch.
       */
      to?: number;
      /**
       * Id of a submission: the export begins after it. With the id of the last line that you have, it resumes where it was interrupted, also when that submission was deleted within the last 30 days. The order is that of `receivedAt`, and what comes later is dated later, also where the service's clock was set back by up to a day. If the clock had been ahead by more than that, newer submissions are dated before that line and are not in the answer; then export again without `after`, or with `from` at the time that the clock was set back to.
       */
      after?: string;
    };
  };
  /**
   * Get the secret that signs the form's webhooks
   */
  "GET /api/forms/{form_id}/webhook-secret": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: WebhookSecret;
  };
  /**
   * Give the form a new webhook secret
   */
  "POST /api/forms/{form_id}/webhook-secret/rotate": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    /**
     * Nothing, or how to treat the secret before.
     */
    body?: {
      /**
       * End all earlier secrets at once, because somebody else has one.
       */
      revokePrevious?: boolean;
    } | null;
    answer: RotatedWebhookSecret;
  };
  /**
   * Send a test event to the form's webhook URL
   */
  "POST /api/forms/{form_id}/webhook/test": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    answer: WebhookTest;
  };
  /**
   * List the form's deliveries, newest first
   */
  "GET /api/forms/{form_id}/webhook/logs": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
    };
    query?: {
      /**
       * How many at most.
       */
      limit?: number;
      /**
       * `nextCursor` of the page before.
       */
      cursor?: string;
      status?: "success" | "failed";
      /**
       * Only deliveries of events of this submission.
       */
      submissionId?: string;
    };
    answer: DeliveryLog;
  };
  /**
   * Get a delivery with its attempts and what was sent
   */
  "GET /api/forms/{form_id}/webhook/logs/{delivery_id}": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The delivery's id, `dlv_…`.
       */
      delivery_id: string;
    };
    answer: {
      log: DeliveryDetail;
    };
  };
  /**
   * Send a delivery's content again, as a new delivery
   */
  "POST /api/forms/{form_id}/webhook/logs/{delivery_id}/resend": {
    path: {
      /**
       * The form's id, `form_…`.
       */
      form_id: string;
      /**
       * The delivery's id, `dlv_…`.
       */
      delivery_id: string;
    };
    answer: Resent;
  };
}
/**
 * Your sessions, the newest first.
 */
export interface SessionList {
  sessions: Session[];
  total: number;
}
/**
 * Somewhere that you are signed in.
 */
export interface Session {
  /**
   * The session's id, as in the audit log.
   */
  id: string;
  /**
   * The browser's name; `program` for a client that names itself no browser. Null for one that this version does not know.
   */
  browser: "edge" | "opera" | "samsung" | "firefox" | "chrome" | "safari" | "program" | "other" | null;
  /**
   * The system's name. Null for one that this version does not know.
   */
  system: "windows" | "android" | "chromeos" | "ios" | "macos" | "linux" | "other" | null;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * To within five minutes.
   */
  lastUsedAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  expiresAt: number;
  /**
   * Whether it is the session that asks.
   */
  current: boolean;
}
/**
 * The person who asks.
 */
export interface OwnAccount {
  /**
   * The person's id, `acc_…`.
   */
  id: string;
  name: string;
  email: string;
  /**
   * When the account is deleted for good; null while nobody asked for that.
   */
  deletedAt: number | null;
  /**
   * A move to another address that waits until both addresses have confirmed it.
   */
  move: {
    /**
     * The other address.
     */
    email: string;
    /**
     * Milliseconds since the Unix epoch.
     */
    expiresAt: number;
  } | null;
}
/**
 * Whether and when an account is deleted, and what goes with it.
 */
export interface AccountDeletion {
  /**
   * When the account is deleted for good; null while nobody asked for that.
   */
  deletedAt: number | null;
  organizations: {
    id: string;
    name: string;
    /**
     * Its forms that you see.
     */
    forms: number;
    /**
     * Of an organization that is deleted; else 0.
     */
    submissions: number;
    /**
     * Its forms under legal hold, where it is to be deleted: until an owner lifts their holds, the account can't be deleted.
     */
    heldForms: {
      /**
       * The form's id.
       */
      id: string;
      name: string;
    }[];
    /**
     * `deleted`: nobody else belongs to it, so it goes with the account, its forms and submissions too. `left`: others keep it. `needs_owner`: others belong to it, and none of them owns it; make one an owner first, or delete it.
     */
    fate: "deleted" | "left" | "needs_owner";
  }[];
}
/**
 * When an organization is deleted for good.
 */
export interface OrganizationDeletion {
  /**
   * Null: it is kept.
   */
  deletedAt: number | null;
}
/**
 * The organizations that you belong to, your own first.
 */
export interface OrganizationList {
  organizations: Organization[];
  total: number;
  /**
   * Whether you may make another one.
   */
  canCreate: boolean;
  /**
   * Whether this session was opened with a second factor.
   */
  secondFactor: boolean;
  /**
   * Whether the organization that the session acts for requires one now, and the session has none.
   */
  lacksSecondFactor: boolean;
  /**
   * For owners of the organization that the session acts for, in the days after a backup was restored: until then nothing is deleted for its age, so that legal holds and longer retention of since the backup can be set again. Milliseconds since the Unix epoch.
   */
  deletionsHeldBackUntil?: number;
}
/**
 * An organization that you belong to.
 */
export interface Organization {
  /**
   * The organization's id, `acc_…`.
   */
  id: string;
  /**
   * May be empty.
   */
  name: string;
  /**
   * `owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.
   */
  role: "owner" | "manager" | "reader" | "developer" | "auditor";
  /**
   * The ids of the forms that the role is for; null for all of the organization.
   */
  forms: string[] | null;
  /**
   * Milliseconds since the Unix epoch.
   */
  since: number;
  /**
   * Whether this session acts for it.
   */
  current: boolean;
  /**
   * From when on it requires a second factor of its members; null: it does not.
   */
  secondFactorRequiredFrom: number | null;
  /**
   * Whether the service takes envelopes only while the signed list of members has a recovery key, and keeps the last one in it.
   */
  requireRecovery: boolean;
  /**
   * The address that was invited, while nobody has proven that it is the person's: until then the membership gives no rights.
   */
  unprovenAddress?: string;
  /**
   * When it is deleted for good, if it is to be: milliseconds since the Unix epoch.
   */
  deletedAt?: number;
}
/**
 * From when on an organization requires a second factor of its members.
 */
export interface SecondFactorRule {
  /**
   * From when on it requires a second factor of its members; null: it does not.
   */
  requiredFrom: number | null;
}
/**
 * Whether an organization wants a recovery key.
 */
export interface RecoveryRule {
  /**
   * Whether the service takes envelopes only while the signed list of members has a recovery key, and keeps the last one in it.
   */
  requireRecovery: boolean;
}
/**
 * The members of the organization, the oldest first.
 */
export interface MemberList {
  members: Member[];
  total: number;
}
/**
 * A person with a role in the organization.
 */
export interface Member {
  /**
   * The person's id, `acc_…`.
   */
  id: string;
  name: string;
  email: string;
  /**
   * `owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.
   */
  role: "owner" | "manager" | "reader" | "developer" | "auditor";
  /**
   * The ids of the forms that the role is for; null for all of the organization.
   */
  forms: string[] | null;
  /**
   * Milliseconds since the Unix epoch.
   */
  since: number;
  /**
   * The person who invited them, `acc_…`; null for who made the organization.
   */
  addedBy: string | null;
  /**
   * Whether the operator keeps them from signing in.
   */
  disabled: boolean;
  /**
   * Whether they have a second factor.
   */
  secondFactor: boolean;
  /**
   * The address that was invited, while nobody has proven that it is the person's: until then the membership gives no rights.
   */
  unprovenAddress?: string;
}
/**
 * An offer to bring a person into the signed list, that has not ended.
 */
export interface Admission {
  /**
   * The admission's id, `adm_…`.
   */
  id: string;
  /**
   * The member whom it is for; null for anyone whose account has the address.
   */
  person: string | null;
  email: string;
  /**
   * Two lines, the terms and their signature (SPECIFICATION.md section 19), each with its line feed.
   */
  terms: string;
  /**
   * The id of the owner or manager who made it.
   */
  madeBy: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  endsAt: number;
  /**
   * Null: the person has not answered yet.
   */
  answeredAt: number | null;
}
/**
 * The head of a signed list that a device of yours had verified, signed by it.
 */
export interface SignedHead {
  /**
   * The organization's id, `acc_…`.
   */
  organizationId: string;
  /**
   * Two lines, the head and its signature (SPECIFICATION.md section 22), each with its line feed.
   */
  signedHead: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  storedAt: number;
}
/**
 * The open invitations, the newest first.
 */
export interface InvitationList {
  invitations: Invitation[];
  total: number;
}
/**
 * An invitation that can be accepted.
 */
export interface Invitation {
  /**
   * The invitation's id, `inv_…`.
   */
  id: string;
  email: string;
  /**
   * `owner`: everything · `manager`: forms, submissions, keys, webhooks, and readers and developers · `reader`: submissions of named forms · `developer`: settings and webhooks of named forms, no submissions · `auditor`: settings, statistics and the audit log.
   */
  role: "owner" | "manager" | "reader" | "developer" | "auditor";
  /**
   * The ids of the forms that the role is for; null for all of the organization.
   */
  forms: string[] | null;
  /**
   * The person's id, `acc_…`.
   */
  invitedBy: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  expiresAt: number;
}
/**
 * The new invitation with its link, this one time.
 */
export interface CreatedInvitation {
  invitation: Invitation;
  /**
   * The link to accept with. Shown in this one answer; only a hash is kept.
   */
  url: string;
  /**
   * Whether it is also sent to the address.
   */
  mailed: boolean;
}
/**
 * What a link invites to.
 */
export interface FoundInvitation {
  /**
   * Null for an invitation to the instance: to make an account, with an organization of one's own.
   */
  organization: {
    /**
     * May be empty.
     */
    name: string;
  } | null;
  /**
   * The address that it is for.
   */
  email: string;
  /**
   * Null for an invitation to the instance.
   */
  role: "owner" | "manager" | "reader" | "developer" | "auditor" | null;
  /**
   * Milliseconds since the Unix epoch.
   */
  expiresAt: number;
}
/**
 * What became of the webhook of a form that was handed over.
 */
export interface HandedOverWebhook {
  /**
   * The host of the address.
   */
  host: string;
  /**
   * Whether deliveries continue to it.
   */
  kept: boolean;
  /**
   * Whether the organization before knows the secret.
   */
  secret: "new" | "kept";
  /**
   * Milliseconds since the Unix epoch.
   */
  previousSecretExpiresAt?: number;
}
/**
 * The instance and its health.
 */
export interface Instance {
  version: string;
  /**
   * SEALPOST_SIGNUP.
   */
  signUp: "first" | "open" | "closed";
  /**
   * Whether a mail server is set.
   */
  sendsEmails: boolean;
  /**
   * Whether plans bound what is stored.
   */
  hasQuotas: boolean;
  counts: {
    organizations: number;
    accounts: number;
    operators: number;
    disabled: number;
    failedEmails: number;
  };
  /**
   * What waits to be sent; counted up to 100,000.
   */
  backlog: {
    deliveriesDue: number;
    /**
     * Since when the delivery that waits the longest is due.
     */
    oldestDeliveryAt: number | null;
    mailsWaiting: number;
    /**
     * Since when the email that waits the longest does.
     */
    oldestMailAt: number | null;
  };
  /**
   * When `sealpost-server backup` made the last backup; null for never, as far as is known.
   */
  lastBackupAt: number | null;
  /**
   * What `sealpost-server doctor` finds from inside; at most ten seconds old.
   */
  checks: {
    /**
     * What was looked at.
     */
    check: string;
    level: "ok" | "warning" | "problem";
    message: string;
    /**
     * What to do about it, where it is not ok.
     */
    remedy?: string;
  }[];
}
/**
 * A page of what operators did, the newest first.
 */
export interface InstanceLog {
  entries: InstanceLogEntry[];
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * One thing that an operator did.
 */
export interface InstanceLogEntry {
  /**
   * `aud_…`.
   */
  id: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  timestamp: number;
  /**
   * As in the audit log of an organization.
   */
  action: string;
  /**
   * Who did it; null for a command on the server, and for somebody who made an account by an invitation.
   */
  operator: {
    /**
     * `acc_…`, or `inv_…` of an invitation.
     */
    id: string;
    /**
     * The name that it has now; empty for an invitation, and once it is gone.
     */
    name: string;
    /**
     * Null for an organization, and for one that is gone.
     */
    email: string | null;
  } | null;
  /**
   * The person, the organization or the invitation that it was done to.
   */
  subject: {
    /**
     * `acc_…`, or `inv_…` of an invitation.
     */
    id: string;
    /**
     * The name that it has now; empty for an invitation, and once it is gone.
     */
    name: string;
    /**
     * Null for an organization, and for one that is gone.
     */
    email: string | null;
  } | null;
  count?: number;
  /**
   * Of a changed plan: the new one.
   */
  plan?: string;
}
/**
 * A page of the instance's organizations.
 */
export interface InstanceOrganizationList {
  organizations: InstanceOrganization[];
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * An organization, as operators see it.
 */
export interface InstanceOrganization {
  /**
   * The organization's id, `acc_…`.
   */
  id: string;
  /**
   * May be empty.
   */
  name: string;
  plan: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Bytes.
   */
  bytes: number;
  /**
   * Bytes; null where nothing limits them, or where they are still counted.
   */
  bytesMax: number | null;
  forms: number;
  members: number;
  /**
   * Owners who can sign in.
   */
  owners: number;
}
/**
 * A page of the instance's accounts.
 */
export interface InstanceAccountList {
  accounts: InstanceAccount[];
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * A person, as operators see them.
 */
export interface InstanceAccount {
  /**
   * The person's id, `acc_…`.
   */
  id: string;
  /**
   * May be empty.
   */
  name: string;
  /**
   * The email address.
   */
  email: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Since when nobody gets in; null while its owner does.
   */
  disabledAt: number | null;
  /**
   * Whether the email address is verified.
   */
  verified: boolean;
  /**
   * Codes of an app, or a passkey.
   */
  secondFactor: boolean;
  /**
   * Since when they are an operator; null for all others.
   */
  operatorSince: number | null;
  /**
   * To how many they belong.
   */
  organizations: number;
  sessions: number;
  /**
   * Those that they made.
   */
  apiKeys: number;
}
/**
 * The open invitations to the instance, the newest first.
 */
export interface InstanceInvitationList {
  invitations: InstanceInvitation[];
  total: number;
}
/**
 * An invitation to make an account, which can be used.
 */
export interface InstanceInvitation {
  /**
   * The invitation's id, `inv_…`.
   */
  id: string;
  /**
   * The email address.
   */
  email: string;
  /**
   * The operator; null for a command on the server.
   */
  invitedBy: {
    /**
     * `acc_…`, or `inv_…` of an invitation.
     */
    id: string;
    /**
     * The name that it has now; empty for an invitation, and once it is gone.
     */
    name: string;
    /**
     * Null for an organization, and for one that is gone.
     */
    email: string | null;
  } | null;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  expiresAt: number;
}
/**
 * The new invitation with its link, this one time.
 */
export interface CreatedInstanceInvitation {
  invitation: InstanceInvitation;
  /**
   * The link to make the account with. Shown in this one answer; only a hash is kept. The emailed one is another.
   */
  url: string;
  /**
   * Whether a link is also sent to the address. Three a day are, from the whole instance.
   */
  mailed: boolean;
}
/**
 * A page of failed emails, the newest first.
 */
export interface FailedMailList {
  emails: FailedMail[];
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * An email that did not arrive, without what was in it.
 */
export interface FailedMail {
  id: string;
  /**
   * `submissions`, `security`, `invitation` and others.
   */
  kind: string;
  /**
   * The person or the organization that it is for, `acc_…`; `instance` for an invitation to the instance.
   */
  accountId: string;
  /**
   * The addresses that it did not arrive at.
   */
  to: string[];
  /**
   * Milliseconds since the Unix epoch.
   */
  failedAt: number;
  /**
   * What the mail server said, without links.
   */
  failure: string;
  attempts: number;
  /**
   * When it is tried again by itself; null once it is given up.
   */
  nextAt: number | null;
  /**
   * False where its link is too old by now.
   */
  canTryAgain: boolean;
}
/**
 * The account's API keys.
 */
export interface ApiKeyList {
  keys: ApiKeyListItem[];
  total: number;
}
/**
 * An API key without its value.
 */
export interface ApiKeyListItem {
  /**
   * The key's id, `key_…`.
   */
  id: string;
  /**
   * What the key is for.
   */
  name: string;
  /**
   * The first 10 characters of the key, to tell keys apart.
   */
  prefix: string;
  /**
   * `forms:read` lists and views forms · `forms:write` creates, changes and deletes them · `submissions:read` reads submissions (still sealed) · `submissions:delete` deletes them.
   */
  permissions: ("forms:read" | "forms:write" | "submissions:read" | "submissions:delete")[];
  /**
   * The forms that the key is limited to, and that its maker reaches. Absent: all that its maker reaches.
   */
  forms?: string[];
  /**
   * When the key ends: from then on it is refused. Absent: never.
   */
  expiresAt?: string;
  /**
   * ISO 8601, UTC.
   */
  createdAt: string;
  /**
   * When the key was last used, exact to a minute; null when it never was.
   */
  lastUsed: string | null;
  /**
   * The person who made it, whose role bounds what it may do.
   */
  maker: {
    /**
     * `acc_…`
     */
    id: string;
    name: string;
  };
}
/**
 * The new API key with its value, this one time.
 */
export interface CreatedApiKey {
  key: {
    /**
     * The key's id, `key_…`.
     */
    id: string;
    /**
     * What the key is for.
     */
    name: string;
    /**
     * The key itself, `sp_…`. Shown in this one answer; only its hash is kept.
     */
    key: string;
    /**
     * `forms:read` lists and views forms · `forms:write` creates, changes and deletes them · `submissions:read` reads submissions (still sealed) · `submissions:delete` deletes them.
     */
    permissions: ("forms:read" | "forms:write" | "submissions:read" | "submissions:delete")[];
    /**
     * The forms that the key is limited to, and that its maker reaches. Absent: all that its maker reaches.
     */
    forms?: string[];
    /**
     * When the key ends: from then on it is refused. Absent: never.
     */
    expiresAt?: string;
    /**
     * ISO 8601, UTC.
     */
    createdAt: string;
  };
  warning: string;
  /**
   * The code of the sentence, for programs that branch on it and pages that translate it. `/docs/codes` lists all; there may be more one day, and none ever goes.
   */
  warningCode: string;
}
/**
 * The key is refused from now on.
 */
export interface RevokedApiKey {
  success: true;
  /**
   * The key's id, `key_…`.
   */
  revoked: string;
}
/**
 * A page of entries, newest first.
 */
export interface AuditLog {
  entries: AuditEntry[];
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
  /**
   * The end of the chain of entries. Keep it outside of the service: a later export that still has it proves that nothing up to there was changed or removed (`sealpost verify-log`).
   */
  head: {
    /**
     * How many entries there ever were.
     */
    sequence: number;
    /**
     * SHA-256 in hexadecimal digits.
     */
    hash: string;
  };
  /**
   * How many entries were removed, for their age or by an owner, always the oldest, and the time of the last one.
   */
  removed?: {
    count: number;
    /**
     * Milliseconds since the Unix epoch.
     */
    timestamp: number;
  };
}
/**
 * One thing that was done.
 */
export interface AuditEntry {
  /**
   * `aud_…`.
   */
  id: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  timestamp: number;
  /**
   * `account.created`: The account was made.
   *
   * `account.verified`: The account's email address was verified, or the operator vouched for it.
   *
   * `account.disabled`: The operator disabled the account; that ended all sessions.
   *
   * `account.enabled`: The operator enabled the account again.
   *
   * `account.sessions_ended`: The operator ended all sessions.
   *
   * `account.restored`: The operator restored the instance from a backup: everything is as it was at `details.backupAt`, the password too. `details.counts` says how many sessions ended, and how many API keys are valid again (`keysRestored`) or were revoked (`keysRevoked`).
   *
   * `account.plan_changed`: The operator put the account on another plan.
   *
   * `account.keys_revoked`: The operator revoked all API keys that the person had made.
   *
   * `account.invited`: An operator invited somebody to the instance, to make an account.
   *
   * `account.invitation_ended`: An invitation to the instance was taken back, replaced by another one for the same address, or ended with the rights of who made it.
   *
   * `account.invitation_accepted`: Somebody made an account by an invitation to the instance.
   *
   * `operator.named`: The person became an operator of the instance.
   *
   * `operator.ended`: The person is no operator of the instance any more.
   *
   * `mail.tried_again`: An operator had an email tried again that could not be sent.
   *
   * `account.renamed`: The person changed their name; `details.changes` says from what to what. It is in the log of each organization that they belong to.
   *
   * `account.address_move_requested`: A move to another email address was asked for; both addresses have to confirm it.
   *
   * `account.address_move_refused`: The address before refused the move to another one.
   *
   * `account.address_moved`: The account has another email address; for seven days the one before can undo that.
   *
   * `account.address_move_undone`: The address before undid the move to another one: it is the account's again, all sessions ended, API keys were revoked, a second factor that was turned on since a day before the move is taken back, as are changes of members where no owner is left who can decide, and a new password has to be set by a mailed link.
   *
   * `account.exported`: The person exported what the instance knows about them; recorded at most once an hour for each session.
   *
   * `account.deletion_requested`: The account is to be deleted after 30 days; that ended all sessions.
   *
   * `account.kept`: The account is kept after all.
   *
   * `organization.deletion_requested`: The organization is to be deleted after 30 days.
   *
   * `organization.kept`: The organization is kept after all.
   *
   * `session.started`: Somebody signed in.
   *
   * `session.ended`: Somebody signed out.
   *
   * `session.confirmed`: Who was signed in entered the password again, or used a passkey; recorded at most once an hour for each session.
   *
   * `session.revoked`: A session was ended from another one.
   *
   * `session.others_revoked`: All sessions but one were ended.
   *
   * `sign_in.failed`: A sign-in failed by a wrong password or a wrong code, or a wrong code was entered within the session that is named; recorded at most once an hour, the rest is counted.
   *
   * `sign_in.failures_counted`: How many passwords and codes were wrong since the entry before, within an hour at most.
   *
   * `sign_in.limited`: Too many sign-ins were tried; recorded at most once an hour.
   *
   * `password.changed`: The password was changed, by who knew the one before; that ended all other sessions.
   *
   * `password.limited`: Too many passwords were tried within a session; recorded at most once an hour for each session.
   *
   * `password.reset`: The operator set another password.
   *
   * `password.reset_by_mail`: A new password was set by a mailed link.
   *
   * `second_factor.begun`: A secret and backup codes were made; the second factor is on when its first code was entered.
   *
   * `second_factor.enabled`: Signing in needs a code from now on.
   *
   * `second_factor.disabled`: Signing in needs no code any more.
   *
   * `second_factor.reset`: The operator took the second factor away, passkeys too; or the address before did, which undid a move.
   *
   * `second_factor.locked`: Too many wrong codes: none is taken for 15 minutes.
   *
   * `second_factor.backup_code_used`: A backup code was used up.
   *
   * `second_factor.backup_codes_replaced`: New backup codes were made; the ones before are worth nothing.
   *
   * `identity.linked`: A person of the identity provider can sign in to the account: the account was made by their first sign-in, or its owner linked them.
   *
   * `identity.unlinked`: A person of the identity provider, or `count` of them, can't sign in to the account any more; that ended the sessions that they had opened.
   *
   * `passkey.added`: A passkey was added: it opens the account without the password and the code.
   *
   * `passkey.removed`: A passkey, or `count` of them, can't sign in to the account any more; that ended the sessions that they had opened.
   *
   * `personal_key.made`: A person made their personal key; `details.changes` says which ways to unlock it were stored with it.
   *
   * `personal_key.replaced`: A person put another personal key in the place of theirs; `details.changes` says which ways to unlock it were stored with it. It can be undone for 30 days.
   *
   * `personal_key.restored`: A personal key that had been replaced was brought back, with its ways to unlock it.
   *
   * `personal_key.given`: The personal key was sealed for another device that is signed in as its person.
   *
   * `key_copy.added`: A way to unlock the personal key was added; `details.changes` says which.
   *
   * `key_copy.removed`: A way to unlock the personal key was removed; it can be restored for 30 days.
   *
   * `key_copy.restored`: A way to unlock the personal key that was removed was restored.
   *
   * `key_copy.read`: A sealed copy of the personal key was fetched, to be unlocked; recorded at most once an hour for each session.
   *
   * `passkey.refused`: A passkey was refused, since its counter went back: somebody may have a copy of it; recorded at most once an hour.
   *
   * `api_key.created`: An API key was made.
   *
   * `api_key.revoked`: An API key was revoked.
   *
   * `organization.created`: The organization was made, by a person who belongs to another one or has none.
   *
   * `organization.renamed`: The organization got another name, also that of its one person with their own; `details.changes` says from what to what.
   *
   * `organization.usage_taken_over`: An owner took over the usage of the organization, which somebody had left behind: what it stores counts for them from then on.
   *
   * `organization.second_factor_rule_changed`: An owner changed from when the organization requires a second factor of its members; `details.changes` says from what to what.
   *
   * `organization.recovery_rule_changed`: An owner changed whether the organization wants a recovery key in its signed list of members.
   *
   * `member.invited`: Somebody was invited; `details.changes` says to which role.
   *
   * `member.invitation_ended`: An invitation was taken back, or replaced by another one for the same address.
   *
   * `member.joined`: A person accepted an invitation, the operator added them, or an undone move of an address brought them back; `details.changes` says to which role.
   *
   * `member.changed`: A member's role or named forms were changed; `details.changes` says from what to what.
   *
   * `member.removed`: A member was removed; that revoked the API keys they had made.
   *
   * `member.left`: A member left; that revoked the API keys they had made.
   *
   * `member.address_move_undone`: The address before took back the account of a member, or of a former one, after `count` members had been changed from it, or with rights that it gave. Nobody's membership was changed by that: the owners who can decide got an email.
   *
   * `member_list.changed`: An entry was added to the organization's signed list of members; `details.changes` says which, and what it does.
   *
   * `member_list.recovered`: The organization's recovery key was used: with it, the member became an owner of the signed list, or an owner with other keys; `details.changes` says in which entry.
   *
   * `member_list.given_back`: Entries of the organization's signed list of members that the service had lost, after a restored backup say, were given back; `details.changes` says which. Their signers are in the list.
   *
   * `admission.made`: An owner or manager offered to bring a person into the signed list; `details.changes` says with which role.
   *
   * `admission.answered`: The person answered with the public halves of their personal key.
   *
   * `admission.answer_refused`: An answer did not fit: it was not made with the link. Nobody was brought in.
   *
   * `admission.ended`: The offer was taken back, or replaced by another one for the same person.
   *
   * `envelope.written`: A form's private keys were stored in another revision of an envelope; `details.changes` says which.
   *
   * `envelopes.removed`: A form's envelopes were taken out of use; they can be restored for 30 days.
   *
   * `envelopes.restored`: A form's envelopes were restored.
   *
   * `key_log.entry_added`: An entry was added to a form's key log; `details.changes` says its number.
   *
   * `key_log.removed`: A form's key log was given up: pages that pin it send nothing any more.
   *
   * `form.handed_over`: A form went to another organization of the same owner; `details.changes` says to which host its webhook continues (`webhookHost`), and whether with the secret that is known here (`webhookSecret`).
   *
   * `form.taken_over`: A form came from another organization of the same owner; `details.changes` says to which host its webhook continues (`webhookHost`), and whether with the secret that is known there (`webhookSecret`).
   *
   * `form.created`: A form was made; `details.changes` says which settings differ from the default, its webhook address among them.
   *
   * `form.updated`: A form's name or settings were changed; `details.changes` says from what to what.
   *
   * `form.deleted`: A form was deleted, with all its submissions.
   *
   * `form.hold_set`: A legal hold was set on a form: nothing of it is deleted from then on. Or its reason or date was changed; `details.changes` says from what to what.
   *
   * `form.hold_lifted`: A form's legal hold was lifted.
   *
   * `form.keys_rotated`: A form got a new key pair.
   *
   * `form.keys_closed`: It was set from when on a form takes nothing more for older versions of its key; `details.changes` says below which version and from when.
   *
   * `webhook_secret.shown`: A webhook secret was read; recorded at most once an hour for each reader.
   *
   * `webhook_secret.rotated`: A form got a new webhook secret.
   *
   * `mails.turned_on`: Emails about the form, or about all forms, were turned on.
   *
   * `mails.turned_off`: Emails about the form, or about all forms, were turned off.
   *
   * `submissions.read`: Somebody began to list, open or export the form's submissions; recorded at most once an hour for each reader. Beyond 2,000 entries a day about what a person reads they name no form.
   *
   * `submissions.read_counted`: What that reader has read since then, within an hour at most.
   *
   * `submissions.exported`: An export of submissions began; recorded at most once an hour for each reader.
   *
   * `submissions.binned`: Submissions were moved to the bin.
   *
   * `submissions.restored`: Submissions were restored from the bin.
   *
   * `submissions.bin_emptied`: All that was in the bin was deleted for good.
   *
   * `submissions.deleted`: Submissions were deleted for good together.
   *
   * `submissions.deleted_singly`: Somebody began to delete the form's submissions for good one by one; recorded at most once an hour for each person or API key.
   *
   * `submissions.deletions_counted`: How many they have deleted so since then, within an hour at most.
   *
   * `audit_log.exported`: The audit log was exported; recorded at most once an hour for each reader.
   *
   * `audit_log.shortened`: An owner removed the log's oldest entries, after an export; `details.changes` says from which head to which the log begins, `details.counts` how many entries that are.
   */
  action:
    | "account.created"
    | "account.verified"
    | "account.disabled"
    | "account.enabled"
    | "account.sessions_ended"
    | "account.restored"
    | "account.plan_changed"
    | "account.keys_revoked"
    | "account.invited"
    | "account.invitation_ended"
    | "account.invitation_accepted"
    | "operator.named"
    | "operator.ended"
    | "mail.tried_again"
    | "account.renamed"
    | "account.address_move_requested"
    | "account.address_move_refused"
    | "account.address_moved"
    | "account.address_move_undone"
    | "account.exported"
    | "account.deletion_requested"
    | "account.kept"
    | "organization.deletion_requested"
    | "organization.kept"
    | "session.started"
    | "session.ended"
    | "session.confirmed"
    | "session.revoked"
    | "session.others_revoked"
    | "sign_in.failed"
    | "sign_in.failures_counted"
    | "sign_in.limited"
    | "password.changed"
    | "password.limited"
    | "password.reset"
    | "password.reset_by_mail"
    | "second_factor.begun"
    | "second_factor.enabled"
    | "second_factor.disabled"
    | "second_factor.reset"
    | "second_factor.locked"
    | "second_factor.backup_code_used"
    | "second_factor.backup_codes_replaced"
    | "identity.linked"
    | "identity.unlinked"
    | "passkey.added"
    | "passkey.removed"
    | "personal_key.made"
    | "personal_key.replaced"
    | "personal_key.restored"
    | "personal_key.given"
    | "key_copy.added"
    | "key_copy.removed"
    | "key_copy.restored"
    | "key_copy.read"
    | "passkey.refused"
    | "api_key.created"
    | "api_key.revoked"
    | "organization.created"
    | "organization.renamed"
    | "organization.usage_taken_over"
    | "organization.second_factor_rule_changed"
    | "organization.recovery_rule_changed"
    | "member.invited"
    | "member.invitation_ended"
    | "member.joined"
    | "member.changed"
    | "member.removed"
    | "member.left"
    | "member.address_move_undone"
    | "member_list.changed"
    | "member_list.recovered"
    | "member_list.given_back"
    | "admission.made"
    | "admission.answered"
    | "admission.answer_refused"
    | "admission.ended"
    | "envelope.written"
    | "envelopes.removed"
    | "envelopes.restored"
    | "key_log.entry_added"
    | "key_log.removed"
    | "form.handed_over"
    | "form.taken_over"
    | "form.created"
    | "form.updated"
    | "form.deleted"
    | "form.hold_set"
    | "form.hold_lifted"
    | "form.keys_rotated"
    | "form.keys_closed"
    | "webhook_secret.shown"
    | "webhook_secret.rotated"
    | "mails.turned_on"
    | "mails.turned_off"
    | "submissions.read"
    | "submissions.read_counted"
    | "submissions.exported"
    | "submissions.binned"
    | "submissions.restored"
    | "submissions.bin_emptied"
    | "submissions.deleted"
    | "submissions.deleted_singly"
    | "submissions.deletions_counted"
    | "audit_log.exported"
    | "audit_log.shortened";
  /**
   * Who did it: a session or an API key of the account, an operator of the instance, or somebody who was not let in.
   */
  actor:
    | {
        type: "session";
        /**
         * The session's id.
         */
        id: string;
        /**
         * The person who had the session, `acc_…`.
         */
        personId: string;
      }
    | {
        type: "api_key";
        /**
         * The key's id, `key_…`.
         */
        id: string;
      }
    | {
        type: "operator";
        /**
         * The person, `acc_…`; none for the command line on the server.
         */
        personId?: string;
      }
    | {
        type: "nobody";
      };
  /**
   * What it was done to, if not to the account.
   */
  target?:
    | {
        type: "form";
        id: string;
        /**
         * The name that it had then.
         */
        name: string;
      }
    | {
        type: "api_key";
        id: string;
        /**
         * The name that it had then.
         */
        name: string;
      }
    | {
        type: "session";
        id: string;
      }
    | {
        type: "member";
        id: string;
        /**
         * The name that it had then.
         */
        name: string;
      }
    | {
        type: "invitation";
        id: string;
      };
  /**
   * How many submissions.
   */
  count?: number;
  /**
   * More about it. Never anything that was submitted.
   */
  details?: {
    /**
     * The changed settings, with old and new values.
     */
    changes?: {
      /**
       * As the API names it: `webhookUrl`, `encryption`, `name`.
       */
      setting: string;
      /**
       * A text, a number, true or false, a list of texts, or null.
       */
      from: {
        [k: string]: unknown | undefined;
      };
      /**
       * A text, a number, true or false, a list of texts, or null.
       */
      to: {
        [k: string]: unknown | undefined;
      };
    }[];
    /**
     * When what is counted began, in milliseconds.
     */
    since?: number;
    /**
     * Of a restore: when the backup was made, in milliseconds.
     */
    backupAt?: number;
    /**
     * How many lists, single submissions (`opened`) and exports were asked for and how many submissions they held; how many passwords and codes were wrong; how many sessions a restore ended, and how many API keys it brought back or revoked.
     */
    counts?: {
      lists?: number;
      opened?: number;
      exports?: number;
      submissions?: number;
      passwords?: number;
      codes?: number;
      sessions?: number;
      keysRestored?: number;
      keysRevoked?: number;
      entries?: number;
    };
  };
}
/**
 * Where the audit log begins.
 */
export interface ShortenedAuditLog {
  shortened: {
    /**
     * How many entries are gone, or soon will be: all up to this number.
     */
    count: number;
  };
}
/**
 * A page of forms, newest first.
 */
export interface FormList {
  forms: FormListItem[];
  /**
   * All forms of the account.
   */
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * A form as lists show it.
 */
export interface FormListItem {
  /**
   * The form's id.
   */
  id: string;
  /**
   * Unique in the account, whatever the case.
   */
  name: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Submissions stored now.
   */
  submissionCount: number;
  /**
   * Submissions that ever came, deleted ones too.
   */
  receivedCount: number;
  /**
   * When the newest of the stored submissions came; null without any.
   */
  lastReceivedAt: number | null;
  /**
   * Whether somebody has said that the newest private key opened something (`proveFormKey`).
   */
  keyProof: "proved" | "unproved";
  publicKey: PublicKey;
  settings: {
    /**
     * Accept only submissions that were sealed in the browser.
     */
    encryption: boolean;
    /**
     * Strip common patterns of personal data before sealing.
     */
    piiStrip: boolean;
  };
  /**
   * There while visitors are refused, one for each cause; not there once none was seen for a day, nor right after a start of the service.
   */
  refusedVisitors?: RefusedVisitors[];
  /**
   * There, and true, while the form is under a legal hold.
   */
  held?: true;
}
/**
 * An RSA public key as JWK (RFC 7517), exactly these members.
 */
export interface PublicKey {
  kty: "RSA";
  /**
   * The modulus, base64url.
   */
  n: string;
  /**
   * The public exponent, base64url; always AQAB.
   */
  e: string;
}
/**
 * Requests of visitors that the form refused for one cause, in milliseconds since the Unix epoch. Anybody can make such a request: it says what was seen, and not that a page of yours is wrong.
 */
export interface RefusedVisitors {
  /**
   * `old_key`: the page's snippet pins a former key (`reportRefusedKey`). `origin`: a page of an origin that `allowedOrigins` does not name. `unsealed`: answers that were not sealed, by a form without script, say, for a form that takes sealed ones alone. `too_large`: more bytes than `submissionBytesMax`, or than the service takes. `hourly_limit`: more than `submissionsPerHour`. `form_markup`: an HTML form with files, without a field that counts, with too many fields, or of another method or encoding. `trapped`: an HTML form from a browser with the field `_gotcha` filled in, which has to stay empty. A newer service may have more.
   */
  cause: "old_key" | "origin" | "unsealed" | "too_large" | "hourly_limit" | "form_markup" | "trapped";
  /**
   * When it was first seen with the settings, or the key, that the form has now.
   */
  since: number;
  /**
   * When it was seen last.
   */
  lastAt: number;
}
/**
 * `privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid keys only where they were asked for.
 */
export interface CreatedForm {
  /**
   * The form's id.
   */
  id: string;
  /**
   * Unique in the account, whatever the case.
   */
  name: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  publicKey: PublicKey;
  privateKey?: PrivateKey;
  hybridPublicKey?: HybridPublicKey;
  hybridPrivateKey?: HybridPrivateKey;
  settings: FormSettings;
}
/**
 * The private key as JWK. Shown in this one answer and never kept: who loses it loses the submissions.
 */
export interface PrivateKey {
  kty: "RSA";
  n: string;
  e: string;
  d: string;
  p: string;
  q: string;
  dp: string;
  dq: string;
  qi: string;
}
/**
 * A hybrid public key as JWK, against quantum computers (packages/wire/SPECIFICATION.md, section 2).
 */
export interface HybridPublicKey {
  kty: "AKP";
  alg: "MLKEM768-X25519";
  /**
   * ML-KEM-768's and X25519's public keys, 1,216 bytes, base64url.
   */
  pub: string;
}
/**
 * The hybrid private key as JWK. Shown in this one answer and never kept, as `privateKey`.
 */
export interface HybridPrivateKey {
  kty: "AKP";
  alg: "MLKEM768-X25519";
  pub: string;
  /**
   * The seed, 32 bytes, base64url.
   */
  priv: string;
}
/**
 * All settings of a form.
 */
export interface FormSettings {
  /**
   * Accept only submissions that were sealed in the browser.
   */
  encryption: boolean;
  /**
   * Strip common patterns of personal data before sealing.
   */
  piiStrip: boolean;
  /**
   * Where events are posted, an HTTPS URL; null for nowhere.
   */
  webhookUrl: string | null;
  webhookRedirects: WebhookRedirects;
  /**
   * Origins whose pages may submit: `*`, exact ones, or `https://*.example.com`.
   */
  allowedOrigins: string[];
  /**
   * The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.
   */
  country: string | null;
  /**
   * The types of personal data that `piiStrip` strips; null for all.
   *
   * @minItems 1
   */
  piiTypes: PiiType[] | null;
  /**
   * The most bytes that the body of one submission may have. With encryption at least 3072, with a hybrid key 4096: an empty sealed submission takes nearly as much.
   */
  submissionBytesMax: number;
  /**
   * How many submissions the form takes in an hour; null for any number.
   */
  submissionsPerHour: number | null;
  /**
   * For how many days submissions that were moved to the bin can be restored; 0 deletes at once.
   */
  binDays: number;
}
/**
 * A form with all its settings.
 */
export interface Form {
  /**
   * The form's id.
   */
  id: string;
  /**
   * Unique in the account, whatever the case.
   */
  name: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  updatedAt: number;
  /**
   * Submissions stored now.
   */
  submissionCount: number;
  /**
   * Whether somebody has said that the newest private key opened something (`proveFormKey`).
   */
  keyProof: "proved" | "unproved";
  publicKey: PublicKey;
  settings: FormSettings;
  /**
   * The HTML to paste into the page that holds the form. It names no key: to pin one, name it in the script's `data-sealpost-options` and in the call (`/docs/embed`).
   */
  embedCode: string;
  /**
   * There while visitors are refused, one for each cause; not there once none was seen for a day, nor right after a start of the service.
   */
  refusedVisitors?: RefusedVisitors[];
  hold?: FormHold;
  /**
   * There while an organization that had the form before knows the secret that signs its webhooks: since when, in milliseconds since the Unix epoch. A rotation ends it, and so does another webhook address, for which no secret signs that such an organization knows.
   */
  webhookSecretKnownSince?: number;
}
/**
 * A legal hold: while it lasts, nothing of the form is deleted.
 */
export interface FormHold {
  /**
   * Milliseconds since the Unix epoch.
   */
  since: number;
  /**
   * Who set it; null if that person's account is gone.
   */
  setBy: {
    /**
     * The person's id, `acc_…`.
     */
    id: string;
    name: string;
  } | null;
  /**
   * The text of who set it. Everybody who sees the form sees it.
   */
  reason: string | null;
  /**
   * When owners are reminded to look whether it is still needed. It does not end by itself.
   */
  until: number | null;
}
/**
 * The changed form.
 */
export interface UpdatedForm {
  /**
   * The form's id.
   */
  id: string;
  /**
   * Unique in the account, whatever the case.
   */
  name: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  updatedAt: number;
  settings: FormSettings;
}
/**
 * The form is gone, with this many submissions.
 */
export interface DeletedForm {
  success: true;
  deleted: {
    /**
     * The form's id.
     */
    formId: string;
    /**
     * Submissions that the form had, exactly.
     */
    submissionsDeleted: number;
  };
}
/**
 * `privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid keys only where they were asked for.
 */
export interface RotatedForm {
  /**
   * The form's id.
   */
  id: string;
  publicKey: PublicKey;
  privateKey?: PrivateKey;
  hybridPublicKey?: HybridPublicKey;
  hybridPrivateKey?: HybridPrivateKey;
  keyVersion: number;
  previousKeyVersion: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  rotatedAt: number;
}
/**
 * Every version of the form's public key.
 */
export interface FormKeys {
  /**
   * Every version, newest first.
   */
  keys: FormKey[];
}
/**
 * One version of the form's public key.
 */
export interface FormKey {
  version: number;
  publicKey: PublicKey;
  /**
   * RFC 7638 thumbprint (SHA-256, base64url).
   */
  fingerprint: string;
  hybridPublicKey?: HybridPublicKey;
  /**
   * Thumbprint of the hybrid public key.
   */
  hybridFingerprint?: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Who made the pair.
   */
  madeBy: "owner" | "service";
  /**
   * When somebody first said that the private key opened something; null until then.
   */
  provedAt: number | null;
  /**
   * From when on nothing that is sealed to this version is taken, in milliseconds since the Unix epoch; not there while it is taken without end (`closeFormKeys`).
   */
  closesAt?: number;
}
/**
 * The form's legal hold.
 */
export interface HeldForm {
  /**
   * Null: there is none.
   */
  hold: FormHold | null;
}
/**
 * A form's envelopes, by ascending key version. Most forms have one, or none.
 */
export interface EnvelopeList {
  envelopes: Envelope[];
  /**
   * When envelopes were removed that can be restored, the latest first.
   *
   * Items: Milliseconds since the Unix epoch.
   */
  removals: number[];
  /**
   * Until when the envelopes that were removed last can be restored; null where there are none.
   */
  restorableUntil: number | null;
}
/**
 * The newest revision of an envelope with private keys of a form.
 */
export interface Envelope {
  /**
   * The first of the 32 key versions that it is for: 1, 33, 65 …
   */
  lowestVersion: number;
  /**
   * Its content has to say the same number.
   */
  revision: number;
  /**
   * SHA-256 of its bytes, base64url: what the next revision names.
   */
  hash: string;
  bytes: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
}
/**
 * Revisions of an envelope, newest first.
 */
export interface EnvelopeRevisionList {
  revisions: EnvelopeRevision[];
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * A revision of an envelope that the service still has.
 */
export interface EnvelopeRevision {
  revision: number;
  /**
   * SHA-256 of its bytes, base64url.
   */
  hash: string;
  bytes: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Id of the person who stored it, or who made the API key that did. Nothing signs that.
   */
  writerId: string;
}
/**
 * What an account stores, and may store.
 */
export interface Usage {
  usage: {
    /**
     * Bytes.
     */
    bytes: number;
    /**
     * Bytes.
     */
    otherBytes: number;
    /**
     * Bytes.
     */
    logBytes: number;
    /**
     * Bytes; null where nothing limits them.
     */
    bytesMax: number | null;
    /**
     * Bytes; null where nothing limits them.
     */
    formBytesMax: number | null;
    /**
     * The 100 fullest forms, the fullest first.
     */
    forms: FormUsage[];
    /**
     * With which organizations it shares `bytesMax`; null where nothing limits it, and where its plan gives it room of its own.
     */
    shared: {
      /**
       * The person for whom it counts. `owner`: one of its owners, another one where a session asks. `former_owner`: somebody who is no owner any more; it has a `bytesMax` of its own then, until an owner takes over its usage.
       */
      countsFor: "you" | "owner" | "former_owner";
      /**
       * That person's, for owners with a session; null for others, and where that person is no member any more.
       */
      name: string | null;
      /**
       * Of `bytesMax`, by all organizations that share it.
       */
      percent: number;
      /**
       * Of the quarter for everything but submissions, by all that share it.
       */
      otherPercent: number;
      /**
       * Those that share it and that you own, for owners with a session; the fullest first. Empty for `former_owner`, which shares it with none.
       *
       * Items: An organization that you own.
       */
      organizations: {
        /**
         * `acc_…`.
         */
        id: string;
        name: string;
        /**
         * Bytes.
         */
        bytes: number;
        /**
         * Bytes.
         */
        otherBytes: number;
      }[];
    } | null;
  };
}
/**
 * What the submissions of a form take.
 */
export interface FormUsage {
  /**
   * `form_…`.
   */
  id: string;
  name: string;
  /**
   * Bytes.
   */
  bytes: number;
  submissionCount: number;
}
/**
 * After how many days submissions are deleted.
 */
export interface Retention {
  /**
   * Submissions received longer ago than this many days of 24 hours are deleted. Null: they are kept until somebody deletes them.
   */
  days: number | null;
}
/**
 * Whether email notices are sent about the account and its forms.
 */
export interface AccountNotifications {
  /**
   * Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails have no content.
   */
  mail: boolean;
  /**
   * Whether this instance sends emails at all: its operator has set it up.
   */
  available: boolean;
  /**
   * Whether owners get an email when the account's storage, or its audit log, is nearly full or full.
   */
  storage: boolean;
}
/**
 * Whether email notices are sent.
 */
export interface Notifications {
  /**
   * Whether the account's address gets an email about new submissions and about a webhook that fails for a day. Emails have no content.
   */
  mail: boolean;
  /**
   * Whether this instance sends emails at all: its operator has set it up.
   */
  available: boolean;
}
/**
 * Public halves of a person's own key, and the list of its sealed copies.
 */
export interface PersonalKey {
  /**
   * The public halves; null while the person has no key.
   */
  personalKey: {
    /**
     * A hybrid recipient of age, `age1pq1…`.
     */
    recipient: string;
    /**
     * A public key of Ed25519, base64url of 32 bytes.
     */
    signingKey: string;
    /**
     * Milliseconds since the Unix epoch.
     */
    createdAt: number;
  } | null;
  /**
   * The oldest first; those too that were removed and can still be restored.
   */
  copies: KeyCopy[];
  /**
   * Keys that were replaced and can still be brought back, the newest first.
   *
   * Items: A key that another one has replaced.
   */
  formerKeys: {
    /**
     * A hybrid recipient of age, `age1pq1…`.
     */
    recipient: string;
    /**
     * A public key of Ed25519, base64url of 32 bytes.
     */
    signingKey: string;
    /**
     * Milliseconds since the Unix epoch.
     */
    createdAt: number;
    /**
     * Milliseconds since the Unix epoch.
     */
    replacedAt: number;
    /**
     * Milliseconds since the Unix epoch.
     */
    restorableUntil: number;
    /**
     * The id of a copy of this key that the one in its place opens; null where none was sent.
     */
    copyId: string | null;
    /**
     * They come back with the key.
     */
    copies: KeyCopy[];
  }[];
}
/**
 * A sealed copy of a personal key, without its file.
 */
export interface KeyCopy {
  /**
   * The copy's id, `copy_…`.
   */
  id: string;
  /**
   * How it opens: with a passphrase, a passkey, the recovery sheet, or another device. The file's one stanza is of that kind (specification, section 16).
   */
  way: "passphrase" | "passkey" | "sheet" | "device";
  name: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  createdAt: number;
  /**
   * Null: it can be fetched and opened.
   */
  removedAt: number | null;
  /**
   * Until when one that was removed can be restored.
   */
  restorableUntil: number | null;
}
/**
 * A sealed copy of a personal key.
 */
export interface KeyCopyFile {
  /**
   * The sealed copy: an age file of at most 4096 bytes, in base64url without padding.
   */
  file: string;
}
/**
 * A handover of the personal key to another device of its person (specification, section 21).
 */
export interface DeviceRequest {
  id: string;
  /**
   * Whether the session that asks has made it: that of the new device.
   */
  isOwn: boolean;
  /**
   * Base64url of 32 bytes.
   */
  commitment: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  expiresAt: number;
  challenge: {
    /**
     * A hybrid recipient of age, `age1pq1…`.
     */
    recipient: string;
    /**
     * Ed25519, base64url of 32 bytes.
     */
    signingKey: string;
    /**
     * Base64url of 16 random bytes.
     */
    nonce: string;
    /**
     * Null where the person compares codes.
     */
    proof: string | null;
  } | null;
  reveal: {
    /**
     * A hybrid recipient of age, `age1pq1…`.
     */
    recipient: string;
    /**
     * Base64url of 16 random bytes.
     */
    nonce: string;
  } | null;
  isAnswered: boolean;
  /**
   * For the session that has made the request.
   */
  answer: {
    /**
     * The key, sealed for the new device: base64url.
     */
    copy: string;
    /**
     * What the open device has seen, signed and sealed for the new one: base64url of at most 1 MiB, for which it leaves out what has no room.
     */
    heads: string;
  } | null;
}
/**
 * What the form received, by day.
 */
export interface Statistics {
  formId: string;
  period: "day" | "week" | "month" | "year";
  stats: {
    /**
     * All that were ever received, deleted ones included.
     */
    totalSubmissions: number;
    periodSubmissions: number;
    /**
     * With two decimals.
     */
    avgPerDay: number;
    /**
     * Every UTC day of the period, oldest first, zeros included.
     */
    timeline: {
      date: string;
      count: number;
    }[];
  };
}
/**
 * What a browser needs to seal a submission.
 */
export interface PublicForm {
  form: {
    /**
     * The form's id.
     */
    id: string;
    publicKey: PublicKey;
    keyVersion: number;
    /**
     * RFC 7638 thumbprint of the public key.
     */
    keyFingerprint: string;
    hybridPublicKey?: HybridPublicKey;
    /**
     * Thumbprint of the hybrid public key.
     */
    hybridKeyFingerprint?: string;
    settings: {
      /**
       * Accept only submissions that were sealed in the browser.
       */
      encryption: boolean;
      /**
       * Strip common patterns of personal data before sealing.
       */
      piiStrip: boolean;
      /**
       * The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.
       */
      country: string | null;
      /**
       * The types of personal data that `piiStrip` strips; null for all.
       *
       * @minItems 1
       */
      piiTypes: PiiType[] | null;
    };
  };
}
/**
 * A page of submissions, newest first.
 */
export interface SubmissionList {
  submissions: Submission[];
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * A stored submission.
 */
export interface Submission {
  /**
   * `sub_` and 26 characters (TypeID).
   */
  id: string;
  formId: string;
  payload: Payload;
  keyVersion: number;
  /**
   * When the visitor's browser says it was made, in milliseconds; never used for order.
   */
  timestamp: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  receivedAt: number;
}
/**
 * Sealed in the browser; only the form's private key opens it (packages/wire/SPECIFICATION.md).
 */
export interface SealedPayload {
  encrypted: true;
  version: "sp1";
  /**
   * Base64 of the AES-256-GCM ciphertext and its 16-byte tag.
   */
  data: string;
  /**
   * Base64 of the content key, sealed with RSA-OAEP-SHA-256: as many bytes as the form's modulus.
   */
  key: string;
  /**
   * Base64 of the 12-byte initialization vector.
   */
  iv: string;
}
/**
 * Sealed in the browser against quantum computers too; only for key versions with a hybrid key (packages/wire/SPECIFICATION.md).
 */
export interface HybridPayload {
  encrypted: true;
  version: "sp2";
  /**
   * Base64 of the 32-byte commitment, the AES-256-GCM ciphertext and its 16-byte tag.
   */
  data: string;
  /**
   * Base64 of the content key, sealed to the hybrid key of the version: 1,168 bytes.
   */
  key: string;
  /**
   * Base64 of the 12-byte initialization vector.
   */
  iv: string;
}
/**
 * Only for forms whose setting `encryption` is false.
 */
export interface PlainPayload {
  encrypted: false;
  version: "plain1";
  /**
   * Field name to value, at most 32 levels deep, with at most 1,000 members in all.
   */
  fields: {
    [k: string]: unknown | undefined;
  };
}
/**
 * That many submissions are gone.
 */
export interface DeletedSubmissions {
  success: true;
  deleted: {
    /**
     * How many there were, exactly.
     */
    submissionsDeleted: number;
    /**
     * Only with `onlyInBin`: how many of the ids are not in the bin but among the form's submissions, and were left.
     */
    submissionsLeft?: number;
  };
}
/**
 * Sealed in the browser; only the form's private key opens it (packages/wire/SPECIFICATION.md).
 */
export interface SealedPayloadInput {
  encrypted: true;
  version: "sp1";
  /**
   * Base64 of the AES-256-GCM ciphertext and its 16-byte tag.
   */
  data: string;
  /**
   * Base64 of the content key, sealed with RSA-OAEP-SHA-256: as many bytes as the form's modulus.
   */
  key: string;
  /**
   * Base64 of the 12-byte initialization vector.
   */
  iv: string;
}
/**
 * Sealed in the browser against quantum computers too; only for key versions with a hybrid key (packages/wire/SPECIFICATION.md).
 */
export interface HybridPayloadInput {
  encrypted: true;
  version: "sp2";
  /**
   * Base64 of the 32-byte commitment, the AES-256-GCM ciphertext and its 16-byte tag.
   */
  data: string;
  /**
   * Base64 of the content key, sealed to the hybrid key of the version: 1,168 bytes.
   */
  key: string;
  /**
   * Base64 of the 12-byte initialization vector.
   */
  iv: string;
}
/**
 * Only for forms whose setting `encryption` is false.
 */
export interface PlainPayloadInput {
  encrypted: false;
  version: "plain1";
  /**
   * Field name to value, at most 32 levels deep, with at most 1,000 members in all.
   */
  fields: {
    [k: string]: unknown | undefined;
  };
}
/**
 * The submission is stored, on the disk, and counted.
 */
export interface AcceptedSubmission {
  success: true;
  submission: {
    /**
     * `sub_` and 26 characters (TypeID).
     */
    id: string;
    /**
     * Milliseconds since the Unix epoch.
     */
    timestamp: number;
    /**
     * Milliseconds since the Unix epoch.
     */
    receivedAt: number;
  };
}
/**
 * The submission is gone.
 */
export interface DeletedSubmission {
  success: true;
  deleted: {
    /**
     * `sub_` and 26 characters (TypeID).
     */
    submissionId: string;
  };
}
export interface Bin {
  submissions: BinnedSubmission[];
  total: number;
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
export interface BinnedSubmission {
  /**
   * `sub_` and 26 characters (TypeID).
   */
  id: string;
  formId: string;
  payload: Payload;
  keyVersion: number;
  /**
   * When the visitor's browser says it was made, in milliseconds; never used for order.
   */
  timestamp: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  receivedAt: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  binnedAt: number;
  /**
   * When it is deleted for good, in milliseconds since the Unix epoch: by the form's setting `binDays`, or before that by its retention.
   */
  purgeAt: number;
}
export interface BinnedSubmissions {
  success: true;
  binned: {
    /**
     * How many were moved to the bin, exactly.
     */
    submissionsBinned: number;
    /**
     * How many were deleted instead, because the form's `binDays` is 0.
     */
    submissionsDeleted: number;
    /**
     * True when there are more than one request moves: send it again. Always false with `ids`.
     */
    hasMore: boolean;
  };
}
export interface RestoredSubmissions {
  success: true;
  restored: {
    /**
     * How many there were, exactly.
     */
    submissionsRestored: number;
    /**
     * True when there are more than one request moves: send it again. Always false with `ids`.
     */
    hasMore: boolean;
  };
}
/**
 * `previousSecretExpiresAt` is there while the secret before is still valid.
 */
export interface WebhookSecret {
  /**
   * `whsec_` and base64 of 32 bytes.
   */
  secret: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  previousSecretExpiresAt?: number;
  /**
   * There while more than one earlier secret is valid: when each of them ends, the newest first.
   *
   * Items: Milliseconds since the Unix epoch.
   */
  earlierSecretsExpireAt?: number[];
}
/**
 * Until `previousSecretExpiresAt` the secret before is valid too; on `revokePrevious` that is now.
 */
export interface RotatedWebhookSecret {
  /**
   * The new secret.
   */
  secret: string;
  /**
   * Milliseconds since the Unix epoch.
   */
  previousSecretExpiresAt: number;
  /**
   * There while more than one earlier secret is valid: when each of them ends, the newest first.
   *
   * Items: Milliseconds since the Unix epoch.
   */
  earlierSecretsExpireAt?: number[];
}
/**
 * What became of the test.
 */
export interface WebhookTest {
  /**
   * Whether the receiver accepted it.
   */
  success: boolean;
  delivery: Delivery;
}
/**
 * One event on its way to a webhook URL.
 */
export interface Delivery {
  /**
   * The delivery's id, as in `X-Service-Delivery-Id`.
   */
  id: string;
  event: "submission.created" | "submission.deleted" | "form.updated" | "form.keys_rotated";
  /**
   * When the event happened, in milliseconds since the Unix epoch.
   */
  timestamp: number;
  status: "success" | "failed";
  /**
   * What the receiver answered; absent when nothing answered.
   */
  statusCode?: number;
  /**
   * Milliseconds of the last request.
   */
  duration?: number;
  /**
   * What went wrong.
   */
  error?: string;
  /**
   * The code of `error`, for programs and translations: `/docs/codes` lists all.
   */
  errorCode?: string;
  /**
   * Attempts after the first.
   */
  retryCount: number;
  /**
   * There while another attempt is due: when, in milliseconds.
   */
  nextAttemptAt?: number;
  /**
   * There on test deliveries.
   */
  test?: true;
}
/**
 * A page of deliveries, newest first.
 */
export interface DeliveryLog {
  logs: Delivery[];
  /**
   * Hand this as `cursor` to get the next page; null on the last.
   */
  nextCursor: string | null;
}
/**
 * A delivery with its attempts and the body that was sent.
 */
export interface DeliveryDetail {
  /**
   * The delivery's id, as in `X-Service-Delivery-Id`.
   */
  id: string;
  event: "submission.created" | "submission.deleted" | "form.updated" | "form.keys_rotated";
  /**
   * When the event happened, in milliseconds since the Unix epoch.
   */
  timestamp: number;
  status: "success" | "failed";
  /**
   * What the receiver answered; absent when nothing answered.
   */
  statusCode?: number;
  /**
   * Milliseconds of the last request.
   */
  duration?: number;
  /**
   * What went wrong.
   */
  error?: string;
  /**
   * The code of `error`, for programs and translations: `/docs/codes` lists all.
   */
  errorCode?: string;
  /**
   * Attempts after the first.
   */
  retryCount: number;
  /**
   * There while another attempt is due: when, in milliseconds.
   */
  nextAttemptAt?: number;
  /**
   * There on test deliveries.
   */
  test?: true;
  attempts: DeliveryAttempt[];
  /**
   * The exact text that was signed and sent; null once its submission was deleted, also while it is still to be sent. Needs the permission `submissions:read` as well.
   */
  body?: string | null;
}
/**
 * One request of a delivery.
 */
export interface DeliveryAttempt {
  /**
   * Which of the six tries. The same again on a request that repeats the one before it: see `repeatReason`.
   */
  number: number;
  /**
   * Milliseconds since the Unix epoch.
   */
  startedAt: number;
  /**
   * Milliseconds; absent when it was cut short.
   */
  duration?: number;
  /**
   * What the receiver answered; absent when nothing answered.
   */
  statusCode?: number;
  /**
   * What went wrong.
   */
  error?: string;
  /**
   * The code of `error`, for programs and translations: `/docs/codes` lists all.
   */
  errorCode?: string;
  /**
   * Where it went: the webhook URL, or a redirect's target.
   */
  url: string;
  /**
   * There on a request that was made again within the same try, which uses up none of the six: the connection that was kept from an earlier request was closed before an answer came, the receiver refused the secret and another one is valid, or the service was stopped.
   */
  repeatReason?: "connection_closed" | "secret_refused" | "interrupted";
}
/**
 * The new delivery; it is in the log once its first attempt has ended.
 */
export interface Resent {
  success: true;
  delivery: {
    /**
     * The delivery's id, as in `X-Service-Delivery-Id`.
     */
    id: string;
  };
}
