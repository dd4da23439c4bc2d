import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import LinearProgress from "@mui/material/LinearProgress";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import { type Budget, budgets, deleteBudget } from "../../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { StatusChip } from "../../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../../components/display/TimeAgo.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { Entry } from "../../../../components/page/Entry.tsx";
import { ResourcePanel } from "../ResourcePanel.tsx";
import { BudgetDialog } from "./BudgetDialog.tsx";

const WARNING_PERCENT = 80;
const REFRESH_MS = 15_000;

/** What the organization, its projects, members and keys may spend, and how far they are. */
export const BudgetsPanel = ({ organization: { id } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { may } = useActing();
  const { data, error, refetch } = useQuery({ ...budgets(id), refetchInterval: REFRESH_MS });
  return (
    <ResourcePanel
      text={(name) => `organizations.budgets.${name}`}
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      isManager={may("budgets.manage")}
      change={t("organizations.budgets.change")}
      skeletonHeight={80}
      isLong
      heading={(budget) => <BudgetTitle budget={budget} />}
      body={(budget) => <BudgetState budget={budget} />}
      remove={(budget) => deleteBudget(id, budget)}
      reload={() => client.invalidateQueries(budgets(id))}
      dialog={(budget, onClose) => <BudgetDialog id={id} budget={budget} onClose={onClose} />}
    />
  );
};

type WarningsProps = { organization: Organization; onOpenAll: () => void };

/** The budgets that are used up, nearly used up, or will be before they reset. */
export const BudgetWarnings = ({ organization: { id }, onOpenAll }: WarningsProps) => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({ ...budgets(id), refetchInterval: REFRESH_MS });
  const warned = (data ?? [])
    .filter((budget) => percentOf(budget) >= WARNING_PERCENT || budget.runs_out_at !== null)
    .sort((one, other) => percentOf(other) - percentOf(one));
  return (
    <Panel
      title={t("organizations.budgets.warned")}
      action={
        <Button size="small" onClick={onOpenAll}>
          {t("organizations.budgets.all")}
        </Button>
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      {data && warned.length === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>
          {t(data.length === 0 ? "organizations.budgets.none" : "organizations.budgets.noneWarned")}
        </Box>
      )}
      {warned.map((budget) => (
        <Entry key={budget.id} title={<BudgetTitle budget={budget} />}>
          <BudgetState budget={budget} />
        </Entry>
      ))}
    </Panel>
  );
};

const percentOf = ({ spent, limit }: Budget): number => (100 * spent) / limit;

const BudgetTitle = ({ budget: { scope, name, period, is_hard: isHard } }: { budget: Budget }) => {
  const { t } = useTranslation();
  return (
    <Row gap={2} wrap>
      {scope === "organization"
        ? t("organizations.budgets.scopes.organization")
        : t("organizations.budgets.titleOf", { scope: t(`organizations.budgets.scopes.${scope}`), name: name || "–" })}
      <Box component="span" sx={{ fontWeight: 400, color: "text.secondary" }}>
        {t(`organizations.budgets.periods.${period}`)}
      </Box>
      {!isHard && (
        <StatusChip tone="warn" dot={false}>
          {t("organizations.budgets.soft")}
        </StatusChip>
      )}
    </Row>
  );
};

/** How much is spent, held and expected. */
const BudgetState = ({ budget }: { budget: Budget }) => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const { limit, spent, held, forecast, renews_at: renewsAt, runs_out_at: runsOutAt } = budget;
  const percent = percentOf(budget);
  const spentText = t("organizations.budgets.spentOf", {
    spent: amountText(spent, format),
    limit: amountText(limit, format),
    percent: Math.floor(percent),
  });
  const color = percent >= 100 ? "error" : percent >= WARNING_PERCENT ? "warning" : "primary";
  return (
    <>
      <LinearProgress
        variant="determinate"
        value={Math.min(100, percent)}
        color={color}
        aria-label={spentText}
        sx={{ my: 1.5, height: 6, borderRadius: 3, bgcolor: "line.main" }}
      />
      <Row gap={1} wrap sx={{ "& > :not(:last-child)::after": { content: '" ·"' } }}>
        <span className="num">{spentText}</span>
        {held > 0 && (
          <span className="num">{t("organizations.budgets.held", { amount: amountText(held, format) })}</span>
        )}
        {renewsAt > 0 && (
          <span>
            {t("organizations.budgets.renews")} <TimeAgo seconds={renewsAt} />
          </span>
        )}
        {forecast !== null && (
          <span className="num">{t("organizations.budgets.forecast", { amount: amountText(forecast, format) })}</span>
        )}
        {runsOutAt !== null && (
          <Box component="span" sx={{ color: "tone.warn.text" }}>
            {t("organizations.budgets.runsOut")} <TimeAgo seconds={runsOutAt} />
          </Box>
        )}
      </Row>
    </>
  );
};
