import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { enabledModels, groupNames } from "../../../../api/channels/channel-lists.ts";
import { optionsOf } from "../../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { checkRuleForm, DIMENSIONS, formOfRule, type RuleEntry, type RuleForm, ruleOfForm } from "./limit-rule-form.ts";

type LimitRuleDrawerProps = Readonly<{
  /** What the form begins with; null: a new rule. */
  rule: RuleEntry | null;
  isNew: boolean;
  /** The names of the other rules. */
  taken: readonly string[];
  onSave: (rule: RuleEntry) => void;
  onClose: () => void;
}>;

const WINDOWS_S = [60, 3600, 86_400] as const;

/** Creates or edits a limit rule: what it limits, which calls it is about, and for what it counts separately. */
export const LimitRuleDrawer = ({ rule, isNew, taken, onSave, onClose }: LimitRuleDrawerProps) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  const models = useQuery(enabledModels).data ?? [];
  const text = (name: string) => t(`settings.limitRules.form.${name}`);
  return (
    <ResourceForm<RuleForm>
      title={isNew ? text("createTitle") : text("editTitle")}
      action={text("apply")}
      isNew={isNew}
      resource={{ section: "options", name: "LimitRules" }}
      text={(name) => `settings.limitRules.form.${name}`}
      initial={formOfRule(rule)}
      check={(form) => checkRuleForm(form, taken)}
      fault={(fault) => t(`settings.limitRules.errors.${fault}`)}
      save={async (form) => {
        onSave(ruleOfForm(form));
        return undefined;
      }}
      reload={[]}
      sections={() => [
        { fields: [{ kind: "text", field: "name", autoFocus: isNew, placeholder: "60 a minute" }] },
        {
          title: text("limits"),
          hint: text("limitsHint"),
          fields: [
            { kind: "integer", field: "requests", optional: text("optional") },
            { kind: "integer", field: "tokens", optional: text("optional") },
            { kind: "quota", field: "quota", optional: text("optional") },
            {
              kind: "integer",
              field: "seconds",
              width: 140,
              end: t("settings.units.seconds"),
              picks: WINDOWS_S,
            },
            { kind: "integer", field: "concurrency", hint: true, optional: text("optional") },
          ],
        },
        {
          title: text("per"),
          hint: text("perHint"),
          fields: [
            {
              kind: "several",
              field: "per",
              label: text("per"),
              options: optionsOf(DIMENSIONS, (one) => t(`settings.limitRules.dimensions.${one}`)),
            },
          ],
        },
        {
          title: text("scope"),
          hint: text("scopeHint"),
          fields: [
            { kind: "names", field: "models", hint: true, options: models, placeholder: "gpt-5*" },
            { kind: "names", field: "groups", options: groups, placeholder: "default" },
            { kind: "names", field: "users", hint: true, placeholder: "alice" },
            { kind: "names", field: "keys", hint: true, placeholder: "17" },
            { kind: "names", field: "channels", hint: true, placeholder: "openai-1" },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
