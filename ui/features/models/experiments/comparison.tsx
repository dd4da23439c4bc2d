import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import type { ListColumn } from "../../../components/page/list/column-kinds.tsx";
import { columnName, type Figures } from "../../../components/page/list/FigureTable.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import type { Comparison } from "../routes/experiment-form.ts";

const side = (name: "current" | "new", of: "control" | "trial"): ListColumn<Comparison> => ({
  key: name,
  width: 160,
  align: "right",
  cell: ({ metric, medians, ...values }) => (
    <Box className="num" sx={{ py: 0.5 }}>
      <Value metric={metric} value={values[of]} />
      {medians && metric !== "judge" && metric !== "errors" && <Median metric={metric} value={medians[of]} />}
    </Box>
  ),
});

/** The figures of both sides, and which differences are beyond noise. */
export const COMPARISON: Figures<Comparison> = {
  text: (name) => `experiments.${columnName(name)}`,
  rowId: ({ metric }) => metric,
  rowName: ({ metric }) => metric,
  columns: [
    { key: "metric", kind: "choice", texts: "experiments.metrics", isTitle: true },
    side("current", "control"),
    side("new", "trial"),
    {
      key: "difference",
      width: 220,
      align: "right",
      cell: ({ metric, interval }) =>
        interval ? (
          <span className="num">
            <Signed metric={metric} value={interval.low} /> … <Signed metric={metric} value={interval.high} />
          </span>
        ) : (
          "–"
        ),
    },
    { key: "verdict", width: 180, isSolid: true, cell: (comparison) => <VerdictChip comparison={comparison} /> },
  ],
};

const Value = ({ metric, value }: Readonly<{ metric: Comparison["metric"]; value: number | null }>) => {
  if (value === null) return "–";
  if (metric === "errors") return formatShare(value);
  if (metric === "judge") return formatNumber(value);
  return metric === "cost" ? <Money quota={Math.round(value)} decimals={6} /> : formatDuration(Math.round(value));
};

const Median = ({ metric, value }: Readonly<{ metric: Comparison["metric"]; value: number }>) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
      {t("experiments.median")} <Value metric={metric} value={value} />
    </Box>
  );
};

const Signed = ({ metric, value }: Readonly<{ metric: Comparison["metric"]; value: number }>) => (
  <>
    {value < 0 ? "−" : "+"}
    <Value metric={metric} value={Math.abs(value)} />
  </>
);

/** Whether a difference is beyond noise. */
const VerdictChip = ({ comparison }: Readonly<{ comparison: Comparison }>) => {
  const { t } = useTranslation();
  const { better, decidedAt, nextLook, control, trial, p } = comparison;
  if (control === null || trial === null || (comparison.metric === "judge" && control + trial === 0)) return "–";
  const chance = p === null ? "" : t("experiments.chance", { share: formatShare(p) });
  if (better === null) {
    const isOver = nextLook === null && p !== null;
    const reason = nextLook === null ? "" : t("experiments.nextLook", { count: nextLook });
    return (
      <StatusChip tone="idle" quiet reason={[isOver ? t("experiments.noMoreLooks") : reason, chance].join(" ").trim()}>
        {p === null ? t("experiments.notCompared") : t(isOver ? "experiments.noiseAtEnd" : "experiments.noise")}
      </StatusChip>
    );
  }
  const isTrial = better === "trial";
  return (
    <StatusChip
      tone={isTrial ? "ok" : "bad"}
      reason={`${t("experiments.decidedAt", { count: decidedAt ?? 0 })} ${chance}`}
    >
      {t(isTrial ? "experiments.better" : "experiments.worse")}
    </StatusChip>
  );
};
