import Autocomplete from "@mui/material/Autocomplete";
import TextField from "@mui/material/TextField";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
import { optionsOf } from "../../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { useSuggestionTexts } from "../../../../components/inputs/suggestion-texts.ts";
import { Field } from "../../../../components/layout.tsx";

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
  const initial: Form = budget
    ? {
        ...{ scope: budget.scope, scopeId: budget.scope_id, period: budget.period },
        ...{ limit: String(budget.limit), isHard: budget.is_hard },
      }
    : { scope: "organization", scopeId: 0, period: "month", limit: "", isHard: true };
  const save = async ({ scope, scopeId, period, limit, isHard }: Form) => {
    const values = { limit: Number(limit), is_hard: isHard };
    await (budget
      ? changeBudget(id, budget.id, values)
      : createBudget(id, { scope, scope_id: scopeId, period, ...values }));
    return t("organizations.budgets.saved");
  };
  return (
    <ResourceForm<Form>
      as="dialog"
      title={t(budget ? "organizations.budgets.changeTitle" : "organizations.budgets.create")}
      action={t(budget ? "organizations.budgets.save" : "organizations.budgets.create")}
      isNew={budget === null}
      resource={budget && { section: "budgets", id: budget.id }}
      text={(name) => `organizations.budgets.${name}`}
      initial={initial}
      isComplete={({ limit, scope, scopeId }) => Number(limit) > 0 && (scope === "organization" || scopeId > 0)}
      follow={({ scope }) => (scope ? { scopeId: 0 } : {})}
      rejectedField={() => "limit"}
      save={save}
      reload={[budgets(id)]}
      sections={({ scope }, change) => [
        {
          fields: [
            !budget && {
              kind: "select",
              field: "scope",
              options: optionsOf(SCOPES, (name) => t(`organizations.budgets.scopes.${name}`)),
            },
            !budget && scope !== "organization" && (
              <TargetField key={scope} id={id} scope={scope} onChange={(scopeId) => change({ scopeId })} />
            ),
            !budget && {
              kind: "select",
              field: "period",
              options: optionsOf(PERIODS, (name) => t(`organizations.budgets.periods.${name}`)),
            },
            { kind: "quota", field: "limit", picks: QUOTA_PICKS },
            { kind: "switch", field: "isHard", hint: true },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};

type TargetFieldProps = Readonly<{ id: number; scope: BudgetScope; onChange: (scopeId: number) => void }>;

/** The project, member or key that a budget limits. */
const TargetField = ({ id, scope, onChange }: TargetFieldProps) => {
  const { t } = useTranslation();
  const suggestionTexts = useSuggestionTexts();
  const [search, setSearch] = useState("");
  const targets = useTargets(id, scope, search);
  const label = t(`organizations.budgets.scopes.${scope}`);
  return (
    <Field
      label={label}
      hint={targets.length === 0 && search === "" ? t("organizations.budgets.noTargets") : undefined}
    >
      <Autocomplete
        {...suggestionTexts}
        size="small"
        options={targets}
        getOptionLabel={({ name }) => name}
        getOptionKey={(target) => target.id}
        isOptionEqualToValue={(one, other) => one.id === other.id}
        onChange={(_, target) => onChange(target?.id ?? 0)}
        onInputChange={(_, text, reason) => setSearch(reason === "input" ? text : "")}
        renderInput={(params) => (
          <TextField
            {...params}
            slotProps={{ ...params.slotProps, htmlInput: { ...params.slotProps?.htmlInput, "aria-label": label } }}
          />
        )}
      />
    </Field>
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
