import { useTranslation } from "react-i18next";
import { optionsOf } from "../../components/form/form-fields.ts";
import { ResourceForm } from "../../components/form/ResourceForm.tsx";
import { SecretTools } from "../../components/form/SecretTools.tsx";
import {
  type AlertScope,
  addDestination,
  changeDestination,
  type Destination,
  destinationList,
} from "./alert-calls.ts";
import {
  bodyOf,
  checkForm,
  type DestinationForm,
  DIGESTS,
  FIELDS,
  formOf,
  hasDigest,
  newDestination,
  TYPES,
} from "./destination-form.ts";

type DestinationDrawerProps = Readonly<{
  scope: AlertScope;
  /** Null: a new one. */
  destination: Destination | null;
  onClose: () => void;
}>;

const LONGEST_NAME = 60;
const REGIONS = ["us", "eu"] as const;
const LANGUAGES = [
  ["en", "English"],
  ["zh", "中文"],
] as const;

/** Adds a destination of alerts, or edits one; secrets are replaced, never shown. */
export const DestinationDrawer = ({ scope, destination, onClose }: DestinationDrawerProps) => {
  const { t, i18n } = useTranslation();
  const stored = destination?.secrets_set ?? [];
  const save = async (form: DestinationForm) => {
    const request = bodyOf(form);
    if (destination) await changeDestination(scope, destination.id, request);
    else await addDestination(scope, { ...request, type: form.type });
    return t("alerts.saved", { name: request.name });
  };
  return (
    <ResourceForm
      title={destination ? t("alerts.form.editTitle", { name: destination.name }) : t("alerts.form.addTitle")}
      action={t(destination ? "alerts.form.save" : "alerts.form.add")}
      isNew={destination === null}
      resource={destination && { section: "alert_destinations", id: destination.id }}
      text={(name) => `alerts.form.${name}`}
      initial={destination ? formOf(destination, "en") : newDestination(i18n.language)}
      check={(form) => checkForm(form, stored)}
      save={save}
      reload={[destinationList(scope)]}
      sections={(form, change) => [
        {
          title: t("alerts.form.service"),
          fields: [
            destination === null && {
              kind: "select",
              field: "type",
              options: optionsOf(TYPES, (type) => t(`alerts.types.${type}`)),
            },
            ...FIELDS[form.type].map(({ name, isSecret, isOptional }) => {
              // The service's two regions have addresses of their own.
              if (name === "region")
                return {
                  kind: "select" as const,
                  field: name,
                  options: optionsOf(REGIONS, (region) => t(`alerts.form.regions.${region}`)),
                };
              const isGenerated = form.type === "webhook" && name === "secret";
              return {
                kind: isSecret && !isGenerated ? ("secret" as const) : ("text" as const),
                field: name,
                label: t(`alerts.fields.${form.type}.${name}.label`),
                hint: stored.includes(name) ? t("alerts.form.stored") : t(`alerts.fields.${form.type}.${name}.hint`),
                optional: isOptional && t("alerts.form.optional"),
                end: isGenerated && (
                  <SecretTools
                    secret={form.secret}
                    copy={t("alerts.form.copySecret")}
                    generate={t("alerts.form.generate")}
                    onGenerate={(secret) => change({ secret })}
                  />
                ),
              };
            }),
          ],
        },
        {
          title: t("alerts.form.messages"),
          fields: [
            { kind: "text", field: "name", label: t("alerts.columns.name"), hint: true, maxCharacters: LONGEST_NAME },
            {
              kind: "select",
              field: "language",
              label: t("alerts.columns.language"),
              options: LANGUAGES,
            },
            { kind: "switch", field: "enabled", hint: true },
            hasDigest(form.type) && {
              kind: "select",
              field: "digest",
              hint: true,
              options: optionsOf([...new Set([...DIGESTS, form.digest])], (minutes) =>
                minutes === 0 ? t("alerts.form.atOnce") : t("alerts.form.everyMinutes", { minutes }),
              ),
            },
            { kind: "switch", field: "hasQuietHours", label: t("alerts.form.quiet"), hint: t("alerts.form.quietHint") },
            form.hasQuietHours && [
              { kind: "text", field: "quietFrom", type: "time" },
              { kind: "text", field: "quietUntil", type: "time" },
              { kind: "text", field: "timeZone" },
            ],
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
