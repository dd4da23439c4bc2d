import type { TFunction } from "i18next";
import type { PlanInput } from "../../../../src/domain/wallet/plans/plans.ts";

/** How often a plan is paid: "per month", "every 3 months". Without a number where it is one, which many languages need. */
export const periodText = ({ period, periodCount }: Pick<PlanInput, "period" | "periodCount">, t: TFunction): string =>
  periodCount === 1 ? t(`plans.every.${period}`) : t(`plans.per.${period}`, { count: periodCount });
