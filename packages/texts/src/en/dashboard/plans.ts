/** Plans of accounts and organizations, by the names that the API has for them. */
export const plans = { free: "free", starter: "starter", pro: "pro", enterprise: "enterprise" };
