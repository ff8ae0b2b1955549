export { deliveryErrors, errors as sentences } from "./en/errors.ts";
