import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ChangedPart, PartPrice } from "../../../../src/domain/channels/prices/price-parts.ts";
import { type PriceChange, priceChanges, unitTag, usd } from "../../../api/models/pricing.ts";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatShort } from "../../../lib/format/number.ts";
import { formatDate } from "../../../lib/format/time.ts";

/** Which models' prices changed, and when: newest first, by day. Render it only while it is open. */
export const PriceChangesDialog = ({ userId, onClose }: { userId: number | undefined; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  const list = useInfiniteQuery(priceChanges(userId));
  const byDay = Object.entries(
    Object.groupBy(list.data?.pages.flatMap(({ items }) => items) ?? [], ({ changed_at }) =>
      formatDate(changed_at * 1000, i18n.language, { dateStyle: "long" }),
    ),
  );
  return (
    <ViewDialog
      title={t("pricing.changes.title")}
      onClose={onClose}
      actions={
        <>
          {list.hasNextPage && (
            <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t("pricing.changes.more")}
            </Button>
          )}
          <Button variant="contained" color="primary" onClick={onClose}>
            {t("components.close")}
          </Button>
        </>
      }
    >
      <Box sx={{ mb: 4, fontSize: 13, color: "text.secondary" }}>{t("pricing.changes.purpose")}</Box>
      {list.error && <ErrorState error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton variant="rounded" height={120} />}
      {list.data && byDay.length === 0 && (
        <Box sx={{ py: 8, textAlign: "center", fontSize: 13, color: "text.secondary" }}>
          {t("pricing.changes.none")}
        </Box>
      )}
      {byDay.map(([day, changes]) => (
        <Box key={day} component="section" sx={{ mb: 5 }}>
          <Box component="h3" sx={{ m: 0, mb: 1, fontSize: 12.5, fontWeight: 600, color: "text.secondary" }}>
            {day}
          </Box>
          <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
            {changes?.map((change) => (
              <Change key={change.id} change={change} />
            ))}
          </Box>
        </Box>
      ))}
    </ViewDialog>
  );
};

const Change = ({ change: { model_name, before, after, unit, is_base_same, parts } }: { change: PriceChange }) => {
  const latest = after ?? before;
  const { t } = useTranslation();
  return (
    <Box component="li" sx={{ py: 2, borderTop: "1px solid", borderColor: "line.faint", fontSize: 13 }}>
      <Row gap={2}>
        <Box sx={{ fontWeight: 560, minWidth: 0, overflowWrap: "anywhere" }}>{model_name}</Box>
        {!before && <StatusChip tone="ok">{t("pricing.changes.new")}</StatusChip>}
        {!after && <StatusChip tone="idle">{t("pricing.changes.removed")}</StatusChip>}
      </Row>
      <Row gap={2} wrap sx={{ color: "text.secondary" }}>
        {before && after && !is_base_same && (
          <Box component="del" sx={{ color: "text.tertiary" }}>
            <Tag unit={unit} price={before} />
          </Box>
        )}
        {latest && <Tag unit={unit} price={latest} />}
      </Row>
      <Parts parts={parts} />
    </Box>
  );
};

type Price = NonNullable<PriceChange["after"]>;

/** The further parts of the price that changed, one a line. */
const Parts = ({ parts }: { parts: readonly ChangedPart[] }) => {
  const { t } = useTranslation();
  const words = (price: PartPrice | null): string => {
    if (!price) return t("pricing.changes.noPrice");
    return price.output === undefined
      ? usd(price.usd)
      : t("pricing.changes.perMillion", { input: usd(price.usd), output: usd(price.output) });
  };
  return parts.map((each) => (
    <Row key={`${each.part} ${each.of}`} gap={2} wrap sx={{ color: "text.secondary" }}>
      <Box component="span" sx={{ overflowWrap: "anywhere" }}>
        {t(`pricing.changes.parts.${each.part}`, { of: each.part === "tier" ? formatShort(Number(each.of)) : each.of })}
      </Box>
      <Box component="del" className="num" sx={{ color: "text.tertiary" }}>
        {words(each.before)}
      </Box>
      <span className="num">{words(each.after)}</span>
    </Row>
  ));
};

const Tag = ({ unit, price }: { unit: PriceChange["unit"]; price: Price }) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  const tag = unitTag(price, unit, quotaPerUnit);
  const words =
    tag.unit === "token"
      ? t("pricing.changes.perMillion", { input: usd(tag.input), output: usd(tag.output) })
      : tag.unit === "use"
        ? t("pricing.changes.perUse", { price: usd(tag.usd) })
        : t(`pricing.each.${tag.unit}`, { price: usd(tag.usd) });
  return <span className="num">{words}</span>;
};
