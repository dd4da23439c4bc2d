import Autocomplete from "@mui/material/Autocomplete";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import TextField from "@mui/material/TextField";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { members } from "../../../../api/accounts/organization-calls.ts";
import {
  type Budget,
  type BudgetPeriod,
  type BudgetScope,
  budgets,
  changeBudget,
  createBudget,
  PERIODS,
  projects,
  SCOPES,
} from "../../../../api/accounts/spending-calls.ts";
import { tokenPage } from "../../../../api/api-keys/api-key.ts";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../../../components/inputs/QuotaInput.tsx";
import { SwitchRow } from "../../../../components/inputs/SwitchRow.tsx";
import { useSuggestionTexts } from "../../../../components/inputs/suggestion-texts.ts";
import { Col, Field } from "../../../../components/layout.tsx";

type Props = {
  id: number;
  /** Null: a new one. */
  budget: Budget | null;
  onClose: () => void;
};

type Form = { scope: BudgetScope; scopeId: number; period: BudgetPeriod; limit: string; isHard: boolean };

const QUOTA_PICKS = [10, 50, 100, 500];
/** The server's largest page. */
const MOST_KEYS = 100;

/** Sets a budget, or changes one; what it limits stays. */
export const BudgetDialog = ({ id, budget, onClose }: Props) => {
  const { t } = useTranslation();
  const field = useId();
  const suggestionTexts = useSuggestionTexts();
  const client = useQueryClient();
  const initial: Form = budget
    ? {
        ...{ scope: budget.scope, scopeId: budget.scope_id, period: budget.period },
        ...{ limit: String(budget.limit), isHard: budget.is_hard },
      }
    : { scope: "organization", scopeId: 0, period: "month", limit: "", isHard: true };
  const { form, change, problem, isSaving, submit } = useCheckedForm<Form>({
    initial,
    rejection: "inline",
    send: async ({ scope, scopeId, period, limit, isHard }) => {
      const values = { limit: Number(limit), is_hard: isHard };
      await (budget
        ? changeBudget(id, budget.id, values)
        : createBudget(id, { scope, scope_id: scopeId, period, ...values }));
      await client.invalidateQueries(budgets(id));
      notifyDone(t("organizations.budgets.saved"));
      onClose();
    },
  });
  const [search, setSearch] = useState("");
  const targets = useTargets(id, form.scope, search);
  const isComplete = Number(form.limit) > 0 && (form.scope === "organization" || form.scopeId > 0);
  return (
    <FormDialog
      title={t(budget ? "organizations.budgets.changeTitle" : "organizations.budgets.create")}
      action={t(budget ? "organizations.budgets.save" : "organizations.budgets.create")}
      isBusy={isSaving}
      isDisabled={!isComplete}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        {!budget && (
          <>
            <Field label={t("organizations.budgets.scope")}>
              <Select
                fullWidth
                value={form.scope}
                onChange={(event) => change({ scope: event.target.value, scopeId: 0 })}
                inputProps={{ "aria-label": t("organizations.budgets.scope") }}
              >
                {SCOPES.map((scope) => (
                  <MenuItem key={scope} value={scope}>
                    {t(`organizations.budgets.scopes.${scope}`)}
                  </MenuItem>
                ))}
              </Select>
            </Field>
            {form.scope !== "organization" && (
              <Field
                label={t(`organizations.budgets.scopes.${form.scope}`)}
                hint={targets.length === 0 && search === "" ? t("organizations.budgets.noTargets") : undefined}
              >
                <Autocomplete
                  key={form.scope}
                  {...suggestionTexts}
                  size="small"
                  options={targets}
                  getOptionLabel={({ name }) => name}
                  getOptionKey={(target) => target.id}
                  isOptionEqualToValue={(one, other) => one.id === other.id}
                  onChange={(_, target) => change({ scopeId: target?.id ?? 0 })}
                  onInputChange={(_, text, reason) => setSearch(reason === "input" ? text : "")}
                  renderInput={(params) => (
                    <TextField
                      {...params}
                      slotProps={{
                        ...params.slotProps,
                        htmlInput: {
                          ...params.slotProps?.htmlInput,
                          "aria-label": t(`organizations.budgets.scopes.${form.scope}`),
                        },
                      }}
                    />
                  )}
                />
              </Field>
            )}
            <Field label={t("organizations.budgets.period")}>
              <Select
                fullWidth
                value={form.period}
                onChange={(event) => change({ period: event.target.value })}
                inputProps={{ "aria-label": t("organizations.budgets.period") }}
              >
                {PERIODS.map((period) => (
                  <MenuItem key={period} value={period}>
                    {t(`organizations.budgets.periods.${period}`)}
                  </MenuItem>
                ))}
              </Select>
            </Field>
          </>
        )}
        <Field label={t("organizations.budgets.limit")} htmlFor={field} error={problem}>
          <QuotaInput
            id={field}
            value={form.limit}
            onChange={(limit) => change({ limit })}
            hasError={problem !== null}
            picks={QUOTA_PICKS}
          />
        </Field>
        <SwitchRow
          label={t("organizations.budgets.isHard")}
          hint={t("organizations.budgets.isHardHint")}
          isOn={form.isHard}
          onChange={(isHard) => change({ isHard })}
        />
      </Col>
    </FormDialog>
  );
};

/** What a budget of a scope can be for; of keys those whose names contain `search`. */
function useTargets(id: number, scope: BudgetScope, search: string): readonly Readonly<{ id: number; name: string }>[] {
  const known = useQuery({ ...projects(id), enabled: scope === "project" });
  const people = useQuery({ ...members(id), enabled: scope === "member" });
  const keys = useQuery({
    ...tokenPage({ keyword: search || undefined, page: 0, pageSize: MOST_KEYS, sort: "name", order: "asc" }),
    enabled: scope === "key",
    placeholderData: keepPreviousData,
  });
  switch (scope) {
    case "project":
      return known.data ?? [];
    case "member":
      return people.data?.map(({ user_id, username }) => ({ id: user_id, name: username })) ?? [];
    case "key":
      return keys.data?.items ?? [];
    default:
      return [];
  }
}
