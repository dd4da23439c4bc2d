import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import MuiLink from "@mui/material/Link";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { isMeant, type PriceFilters } from "../../../../src/domain/models/model-name-rules.ts";
import { type PricedModel, pricing, ratioFor } from "../../../api/models/pricing.ts";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { formatDollars } from "../../../lib/format/money.ts";
import { modelPath, TYPICAL_WORKLOAD, workloadCost } from "./model-page.ts";
import { WorkloadFields } from "./WorkloadFields.tsx";

type Props = Readonly<{
  /** The models that are compared. */
  filters: PriceFilters;
  userId: number | undefined;
  group: string;
  groupRatio: number;
  onClose: () => void;
}>;

const NO_MODELS: readonly PricedModel[] = [];
const MOST_SHOWN = 50;

/** What a month's use costs with each model, the cheapest first. */
export const CalculatorDialog = ({ filters, userId, group, groupRatio, onClose }: Props) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  const { data, error, refetch } = useQuery(pricing(userId));
  const models = data?.models ?? NO_MODELS;
  const [work, setWork] = useState(TYPICAL_WORKLOAD);
  const costs = useMemo(
    () =>
      models
        .filter(
          ({ unit, is_priced, model_name: name, enable_groups: groups }) =>
            is_priced && unit === "token" && isMeant(name, groups, filters),
        )
        .map((model) => ({
          name: model.model_name,
          usd: workloadCost(model, work, ratioFor(model, group, groupRatio), quotaPerUnit),
        }))
        .toSorted((one, other) => one.usd - other.usd),
    [models, filters, work, group, groupRatio, quotaPerUnit],
  );
  const most = Math.max(...costs.slice(0, MOST_SHOWN).map(({ usd }) => usd), Number.MIN_VALUE);
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="price-calculator">
      <DialogTitle id="price-calculator">{t("model.calculator.title")}</DialogTitle>
      <DialogContent>
        <Box sx={{ mb: 3, fontSize: 13, color: "text.secondary" }}>{t("model.calculator.purpose")}</Box>
        <WorkloadFields value={work} onChange={setWork} withCache />
        <Box component="ul" sx={{ listStyle: "none", m: 0, mt: 4, p: 0 }}>
          {costs.slice(0, MOST_SHOWN).map(({ name, usd }) => (
            <Box
              component="li"
              key={name}
              sx={{ position: "relative", display: "flex", gap: 3, px: 2, py: 1.5, fontSize: 13 }}
            >
              <Box
                aria-hidden
                sx={{
                  position: "absolute",
                  inset: "2px auto 2px 0",
                  width: `${(usd / most) * 100}%`,
                  borderRadius: "4px",
                  bgcolor: "accentTint",
                }}
              />
              <MuiLink
                component={Link}
                to={modelPath(name)}
                color="inherit"
                underline="hover"
                sx={{ position: "relative", flex: 1, minWidth: 0, overflowWrap: "anywhere" }}
              >
                {name}
              </MuiLink>
              <Box className="num" sx={{ position: "relative", fontWeight: 560 }}>
                {formatDollars(usd, 2)}
              </Box>
            </Box>
          ))}
        </Box>
        {costs.length > MOST_SHOWN && (
          <Box sx={{ mt: 2, fontSize: 12, color: "text.tertiary" }}>
            {t("model.calculator.more", { count: costs.length - MOST_SHOWN })}
          </Box>
        )}
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton variant="rounded" height={200} />}
        {data && costs.length === 0 && <Box sx={{ color: "text.secondary" }}>{t("model.calculator.none")}</Box>}
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};
