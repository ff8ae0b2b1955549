/** Sentences of fields for which the API has the contract's short one: by the code in `detailCodes`. */
export const fieldErrors = {
  webhook_url_not_https:
    "Must be a valid HTTPS URL: one that begins with https:// and leads to a public address. The server's operator can allow others with SEALPOST_WEBHOOK_ALLOW_NETWORKS.",
  webhook_url_private:
    "Must not lead to a private, local or reserved address. The server's operator can allow it with SEALPOST_WEBHOOK_ALLOW_NETWORKS.",
  webhook_url_with_credentials:
    "Must not contain a user name or password: your receiver verifies the signature instead.",
};
