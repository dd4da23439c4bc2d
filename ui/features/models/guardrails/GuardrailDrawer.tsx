import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { type FormEntry, optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { mcpServers } from "../mcp/mcp-calls.ts";
import { createGuardrail, type GuardrailView, guardrails, updateGuardrail } from "./guardrail-calls.ts";
import {
  actionsOf,
  checkGuardrailForm,
  definitionOfForm,
  formOf,
  type GuardrailForm,
  KINDS,
  PERSONAL,
  PHASES,
  SERVICES,
} from "./guardrail-form.ts";
import { TryPanel } from "./TryPanel.tsx";

type GuardrailDrawerProps = Readonly<{
  /** Null: a new one. */
  guardrail: GuardrailView | null;
  /** The names of the other guardrails. */
  taken: readonly string[];
  onClose: () => void;
}>;

/** Creates or edits a guardrail. */
export const GuardrailDrawer = ({ guardrail, taken, onClose }: GuardrailDrawerProps) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  const servers = useQuery(mcpServers).data?.map(({ name }) => name) ?? [];
  const text = (name: string) => t(`guardrails.form.${name}`);
  const save = async (form: GuardrailForm) => {
    const name = form.name.trim();
    const definition = definitionOfForm(form);
    await (guardrail
      ? updateGuardrail(guardrail.name, name, definition, form.key)
      : createGuardrail(name, definition, form.key));
    return t("guardrails.savedToast", { name });
  };
  return (
    <ResourceForm
      hasDraft
      title={guardrail ? t("guardrails.form.editTitle", { name: guardrail.name }) : text("createTitle")}
      action={text(guardrail ? "save" : "create")}
      isNew={guardrail === null}
      resource={guardrail && { section: "guardrails", name: guardrail.name }}
      text={(name) => `guardrails.form.${name}`}
      initial={formOf(guardrail)}
      check={(form) => checkGuardrailForm(form, taken)}
      fault={(fault) => t(`guardrails.form.errors.${fault}`)}
      save={save}
      reload={[guardrails]}
      sections={(form) => [
        {
          title: text("basics"),
          fields: [
            { kind: "text", field: "name", autoFocus: guardrail === null, placeholder: "personal data" },
            { kind: "text", field: "description", optional: text("optional") },
            { kind: "switch", field: "isEnabled", label: text("enabled") },
            { kind: "switch", field: "isShadow", label: text("shadow"), hint: text("shadowHint") },
          ],
        },
        {
          title: text("looksFor"),
          fields: [
            {
              kind: "select",
              field: "kind",
              hint: t(`guardrails.kindHints.${form.kind}`),
              options: optionsOf(KINDS, (kind) => t(`guardrails.kinds.${kind}`)),
            },
            form.kind === "words" && { kind: "text", field: "words", hint: true, rows: 3, maxRows: 12 },
            form.kind === "patterns" && {
              kind: "text",
              field: "patterns",
              hint: true,
              rows: 3,
              maxRows: 12,
              isCode: true,
            },
            form.kind === "personal_data" && {
              kind: "several",
              field: "personal",
              options: optionsOf(PERSONAL, (kind) => t(`guardrails.personal.${kind}`)),
            },
            form.kind === "language" && { kind: "names", field: "languages", hint: true, placeholder: "en" },
            form.kind === "size" && { kind: "integer", field: "maxCharacters" },
            form.kind === "tools" && { kind: "names", field: "tools", hint: true, placeholder: "read_*" },
            form.kind === "json" && { kind: "json", field: "schema", hint: text("schemaHint"), example: SCHEMA },
            ...(form.kind === "service" ? serviceFields(form, guardrail?.has_key === true, t) : []),
          ],
        },
        {
          title: text("does"),
          fields: [
            {
              kind: "select",
              field: "action",
              hint: t(`guardrails.actionHints.${form.action}`),
              options: optionsOf(actionsOf(form.kind), (action) => t(`guardrails.actions.${action}`)),
            },
            form.action === "block" && {
              kind: "choice",
              field: "refusal",
              hint: text("refusalHint"),
              options: optionsOf(["error", "answer"], (form) => t(`guardrails.refusals.${form}`)),
            },
            form.action === "route" && { kind: "text", field: "routeTo", hint: true },
            form.action === "mask" && {
              kind: "switch",
              field: "restores",
              label: text("restores"),
              hint: text("restoresHint"),
            },
            {
              kind: "several",
              field: "phases",
              options: optionsOf(PHASES, (phase) => t(`guardrails.phases.${phase}`)),
            },
          ],
        },
        {
          title: text("scope"),
          hint: text("scopeHint"),
          fields: [
            { kind: "names", field: "groups", options: groups, placeholder: text("all") },
            { kind: "names", field: "models", hint: true, placeholder: text("all") },
            { kind: "names", field: "mcpServers", hint: true, options: servers, placeholder: text("all") },
            { kind: "names", field: "accounts", hint: true, placeholder: text("all") },
            { kind: "names", field: "projects", placeholder: text("all") },
            { kind: "names", field: "keys", placeholder: text("all") },
          ],
        },
        {
          title: t("guardrails.try.title"),
          hint: t("guardrails.try.hint"),
          fields: [<TryPanel key="try" form={form} />],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** An example of what answers have to fit. */
const SCHEMA = JSON.stringify(
  { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  null,
  2,
);

/** The fields of a server that decides. */
const serviceFields = (
  { service }: GuardrailForm,
  hasKey: boolean,
  t: TFunction,
): readonly FormEntry<GuardrailForm>[] => {
  const text = (name: string) => t(`guardrails.form.${name}`);
  return [
    {
      kind: "select",
      field: "service",
      options: optionsOf(SERVICES, (each) => t(`guardrails.services.${each}`)),
    },
    { kind: "text", field: "url", hint: text("urlHint"), placeholder: "https://" },
    { kind: "secret", field: "key", hint: text(hasKey ? "keyStored" : "keyHint"), optional: text("optional") },
    [
      { kind: "integer", field: "timeout" },
      { kind: "integer", field: "threshold" },
    ],
    {
      kind: "choice",
      field: "onFailure",
      options: optionsOf(["closed", "open"], (rule) => t(`guardrails.onFailure.${rule}`)),
    },
    service !== "webhook" && [
      { kind: "text", field: "serviceId", optional: text("optional") },
      { kind: "text", field: "serviceVersion", optional: text("optional") },
      { kind: "text", field: "language", optional: text("optional") },
    ],
  ];
};
