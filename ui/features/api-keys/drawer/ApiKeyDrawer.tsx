import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { TOKEN_LIMITS } from "../../../../src/domain/api-keys/api-key-rules.ts";
import { projects } from "../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { EXHAUSTED, EXPIRED, NEVER, TOKENS_KEY, type Token, usableModels } from "../../../api/api-keys/api-key.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { Row } from "../../../components/layout.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import { createApiKeys, updateToken } from "./api-key-calls.ts";
import { type ApiKeyForm, bodyOf, changesOf, checkTokenForm, formOf, NEW_TOKEN, takesFurther } from "./api-key-form.ts";
import { useGroupNames, useGroupOptions } from "./group-options.tsx";

type TokenDrawerProps = Readonly<{
  /** Null: new keys. */
  token: Token | null;
  onClose: () => void;
  onCreated: (tokens: readonly Token[]) => void;
}>;

const QUANTITY_PICKS = [10, 20, 30, 100];
const QUOTA_PICKS = [10, 20, 50, 100, 500];
const PERIODS = ["day", "week", "month"] as const;

/** Creates keys, or edits one. */
export const ApiKeyDrawer = ({ token, onClose, onCreated }: TokenDrawerProps) => {
  const { t, i18n } = useTranslation();
  const { id: organization } = useActing();
  const known = useQuery({ ...projects(organization ?? 0), enabled: organization !== null }).data ?? [];
  const models = useQuery(usableModels).data ?? [];
  const groupOptions = useGroupOptions();
  const groupNames = useGroupNames();
  const save = async (form: ApiKeyForm) => {
    const name = form.name.trim();
    if (token) {
      await updateToken(token.id, bodyOf(form, name, token));
      return t("apiKeys.saved", { name });
    }
    onCreated(await createApiKeys(bodyOf(form, name), Number(form.quantity)));
  };
  const renewal = (period: string) =>
    token !== null &&
    period !== "" &&
    period === token.budget_period &&
    t("apiKeys.renews", { time: exactTime(token.budget_renews_at, i18n.language) });
  return (
    <ResourceForm
      hasDraft
      title={token ? t("apiKeys.form.editTitle", { name: token.name }) : t("apiKeys.form.createTitle")}
      action={({ quantity }) =>
        token ? t("apiKeys.form.save") : t("apiKeys.form.create", { count: Number(quantity) || 1 })
      }
      isNew={token === null}
      resource={token && { section: "keys", id: token.id }}
      isShort
      text={(name) => `apiKeys.form.${name}`}
      initial={token ? formOf(token) : NEW_TOKEN}
      check={checkTokenForm}
      fault={(fault) => t(`apiKeys.form.errors.${fault}`, TOKEN_LIMITS)}
      isChanged={(form, initial) => changesOf(initial, form) > 0}
      save={save}
      reload={[{ queryKey: TOKENS_KEY }]}
      sections={(form, change) => [
        {
          title: t("apiKeys.form.basics"),
          fields: [
            {
              kind: "text",
              field: "name",
              placeholder: t("apiKeys.form.namePlaceholder"),
              autoFocus: token === null,
            },
            token === null && { kind: "integer", field: "quantity", hint: true, width: 96, picks: QUANTITY_PICKS },
            known.length > 0 && {
              kind: "select",
              field: "projectId",
              label: t("apiKeys.form.project"),
              options: [
                [0, t("apiKeys.form.projectNone")],
                ...known.map((project) => [project.id, project.name] as const),
              ],
            },
            {
              kind: "time",
              field: "expiresAt",
              label: t("apiKeys.form.expires"),
              hint: expiryHint(form.expiresAt, t),
              none: { value: NEVER, text: t("components.neverExpires") },
              picks: <ExpiryPicks onPick={(expiresAt) => change({ expiresAt })} />,
            },
          ],
        },
        {
          title: t("apiKeys.form.limits"),
          fields: [
            { kind: "switch", field: "unlimited", hint: true },
            !form.unlimited && {
              kind: "quota",
              field: "quota",
              hint: t(form.budgetPeriod === "" ? "apiKeys.form.quotaHint" : "apiKeys.form.budgetHint"),
              picks: QUOTA_PICKS,
            },
            !form.unlimited && {
              kind: "select",
              field: "budgetPeriod",
              hint: renewal(form.budgetPeriod),
              options: optionsOf(["", ...PERIODS], (period) => t(`apiKeys.form.period.${period || "never"}`)),
            },
            (token?.status === EXPIRED || token?.status === EXHAUSTED) && <StatusNote key="note" />,
          ],
        },
        {
          title: t("apiKeys.form.access"),
          fields: [
            {
              kind: "select",
              field: "group",
              hint: true,
              options: groupOptions(form.group),
              shown: (group) => group || t("apiKeys.ownGroup"),
            },
            takesFurther(form.group) && {
              kind: "names",
              field: "furtherGroups",
              hint: true,
              options: groupNames(form.group),
              isStrict: true,
              placeholder: t("apiKeys.form.furtherGroups"),
            },
            {
              kind: "names",
              field: "models",
              hint: true,
              options: models,
              isStrict: "patterns",
              placeholder: t("apiKeys.form.modelsPlaceholder"),
            },
            { kind: "text", field: "allowIps", hint: true, rows: 2, maxRows: 8, isCode: true },
          ],
        },
        {
          title: t("apiKeys.form.rates"),
          fields: [
            {
              kind: "integer",
              field: "requestsPerMinute",
              placeholder: t("apiKeys.form.ratePlaceholder"),
              width: 200,
            },
            {
              kind: "integer",
              field: "tokensPerMinute",
              hint: true,
              placeholder: t("apiKeys.form.ratePlaceholder"),
              width: 200,
            },
            { kind: "switch", field: "strict", hint: true },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

/** How an expired or exhausted key works again. */
const StatusNote = () => {
  const { t } = useTranslation();
  return (
    <Box sx={{ fontSize: 12.5, color: "tone.warn.text", bgcolor: "tone.warn.tint", borderRadius: "6px", px: 3, py: 2 }}>
      {t("apiKeys.form.statusNote")}
    </Box>
  );
};

const QUICK = [
  ["quickNever", NEVER],
  ["quickHour", 3600],
  ["quickDay", 86_400],
  ["quickMonth", 30 * 86_400],
] as const;

/** Sets the expiry of a key to some time from now on, in epoch seconds, or to never. */
const ExpiryPicks = ({ onPick }: Readonly<{ onPick: (seconds: number) => void }>) => {
  const { t } = useTranslation();
  return (
    <Row gap={1.5} wrap sx={{ mt: 1.5 }}>
      {QUICK.map(([name, seconds]) => (
        <Chip
          key={name}
          variant="outlined"
          label={t(`apiKeys.form.${name}`)}
          onClick={() => onPick(seconds === NEVER ? NEVER : Math.floor(Date.now() / 1000) + seconds)}
        />
      ))}
    </Row>
  );
};

function expiryHint(value: number | null, t: TFunction): string | undefined {
  return value !== null && value !== NEVER && value <= Date.now() / 1000 ? t("apiKeys.form.expiresPast") : undefined;
}
