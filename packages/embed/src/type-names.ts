import type { PiiType } from "@sealpost/pii";
import { germanPersonalData, personalData } from "@sealpost/texts/embed";

/** The types of personal data as a visitor reads them. */
export const typeNames: Readonly<Record<"en" | "de", Readonly<Record<PiiType, string>>>> = {
  en: personalData,
  de: germanPersonalData,
};
