import type { Form } from "@sealpost/sdk";
import { compareNames, formatRegion } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Field, SwitchField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";

const { personalData: texts } = text;

export type PiiSettingsValue = Pick<Form["settings"], "country" | "piiTypes">;
type PiiType = NonNullable<PiiSettingsValue["piiTypes"]>[number];

const commonTypes = [
  "EMAIL_ADDRESS",
  "PHONE_NUMBER",
  "CREDIT_CARD",
  "IBAN_CODE",
  "IP_ADDRESS",
  "MAC_ADDRESS",
  "CRYPTO",
  "URL_CREDENTIALS",
  "US_SSN",
  "US_ITIN",
  "UK_NINO",
  "UK_NHS",
] as const satisfies readonly PiiType[];
const fieldTypes = [
  "PERSON_NAME",
  "POSTAL_ADDRESS",
  "DATE_OF_BIRTH",
  "GENDER",
  "USERNAME",
  "PASSWORD",
  "CARD_DETAILS",
] as const satisfies readonly PiiType[];
const furtherTypes = [
  "URL",
  "DATE",
  "POSTCODE",
  "US_PASSPORT",
  "UK_PASSPORT",
  "UK_DRIVING_LICENCE",
  "US_NPI",
  "US_MBI",
  "US_ABA",
  "CA_SIN",
  "AU_TFN",
  "IN_AADHAAR",
  "PL_PESEL",
  "SE_PERSONNUMMER",
  "ES_NIF",
  "ES_NIE",
  "IT_FISCAL_CODE",
] as const satisfies readonly PiiType[];

/** The settings of stripping: the country of telephone numbers, and the types that are removed. */
export function PiiSettings({
  value,
  onChange,
  isRefused,
}: {
  readonly value: PiiSettingsValue;
  readonly onChange: (value: PiiSettingsValue) => void;
  /** Whether the service refused the types: there must be one. */
  readonly isRefused: boolean;
}) {
  const chosen = value.piiTypes;
  const toggle = (type: PiiType, isChosen: boolean) => {
    const others = (chosen ?? []).filter((other) => other !== type);
    onChange({ ...value, piiTypes: isChosen ? [...others, type] : others });
  };
  return (
    <div className="grid gap-5 border-line border-l-2 pl-4">
      <Field hint={texts.countryHint} label={texts.country}>
        {(control) => (
          <Select
            {...control}
            onChange={(country) => onChange({ ...value, country: country || null })}
            options={[["", texts.countryUnset], ...countryOptions(value.country)]}
            value={value.country ?? ""}
          />
        )}
      </Field>
      <SwitchField
        checked={chosen === null}
        hint={texts.everyTypeHint}
        label={texts.everyType}
        onChange={(isEvery) => onChange({ ...value, piiTypes: isEvery ? null : [...commonTypes, ...fieldTypes] })}
      />
      {chosen !== null && (
        <>
          <TypeList chosen={chosen} onToggle={toggle} title={texts.commonTypes} types={commonTypes} />
          <TypeList chosen={chosen} onToggle={toggle} title={texts.fieldTypes} types={fieldTypes} />
          <TypeList chosen={chosen} onToggle={toggle} title={texts.furtherTypes} types={furtherTypes} />
          {isRefused && (
            <p className="text-danger text-sm" role="alert">
              {texts.noTypes}
            </p>
          )}
        </>
      )}
    </div>
  );
}

function TypeList({
  title,
  types,
  chosen,
  onToggle,
}: {
  readonly title: string;
  readonly types: readonly PiiType[];
  readonly chosen: readonly PiiType[];
  readonly onToggle: (type: PiiType, isChosen: boolean) => void;
}) {
  return (
    <fieldset className="grid gap-2.5 sm:grid-cols-2">
      <legend className="mb-2 font-medium">{title}</legend>
      {types.map((type) => {
        const { name, what } = texts.types[type];
        return (
          <label className="flex items-start gap-3" key={type}>
            <input
              checked={chosen.includes(type)}
              className="mt-1"
              onChange={(event) => onToggle(type, event.target.checked)}
              type="checkbox"
            />
            <span>
              {name}
              <span className="block text-muted text-sm">{what}</span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** ISO 3166-1 alpha-2. */
const countries =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW".split(
    " ",
  );

/** By name, in the language of the dashboard's texts; with the form's own even if it is not one of these. */
function countryOptions(own: string | null): ReadonlyArray<readonly [code: string, name: string]> {
  const codes = own === null || countries.includes(own) ? countries : [...countries, own];
  return codes
    .map((code) => [code, formatRegion(code)] as const)
    .sort(([, one], [, other]) => compareNames(one, other));
}
