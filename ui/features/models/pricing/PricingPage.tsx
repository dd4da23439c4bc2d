import Calculate from "@mui/icons-material/CalculateOutlined";
import Copy from "@mui/icons-material/ContentCopyOutlined";
import History from "@mui/icons-material/HistoryOutlined";
import Info from "@mui/icons-material/InfoOutlined";
import Sell from "@mui/icons-material/SellOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CAPABILITIES, type PriceFilters } from "../../../../src/domain/models/model-name-rules.ts";
import { readData } from "../../../api/client.ts";
import { pricingApi } from "../../../api/groups.ts";
import { type Discount, type PricedModel, priceGroups } from "../../../api/models/pricing.ts";
import { useMoneyFormat } from "../../../components/display/Money.tsx";
import { Row } from "../../../components/layout.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { NoModelsAction } from "../../../components/page/NoModels.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { CalculatorDialog } from "../page/CalculatorDialog.tsx";
import { PriceChangesDialog } from "./PriceChangesDialog.tsx";
import { copyNames, PRICE_COLUMNS, type PriceView } from "./price-columns.tsx";

/** What the filters say; `available`: to the group whose prices are shown. */
const filtersOf = ({ text }: FilterValues, { group }: Pick<Data, "group">): PriceFilters => ({
  keyword: text("search"),
  maker: text("maker"),
  capability: text("capability"),
  ...(text("available") !== "" && { group }),
});

/** Public model prices, as one group pays them. */
export const PRICES: ResourceList<PricedModel, PriceFilters, Data> = {
  text: (name) => (name === "title" ? "shell.prices" : `pricing.${name}`),
  icon: Sell,
  rows: {
    key: ["pricing", "models"],
    read: (query, signal) => readData(pricingApi.pricing.models.get({ query, fetch: { signal } }), { stayOn401: true }),
  },
  query: (values, { data }) => filtersOf(values, data),
  rowId: ({ model_name: name }) => name,
  rowName: ({ model_name: name }) => name,
  unit: "pricing.unit",
  columns: PRICE_COLUMNS,
  search: "pricing.search",
  filters: [
    {
      key: "group",
      options: ({ groups, list }) =>
        groups.map((name) => ({ value: name, label: `${name} × ${list.data?.group_ratio[name]}` })),
    },
    { key: "maker", options: ({ makers }) => makers.map((name) => ({ value: name, label: name })) },
    { key: "capability", options: CAPABILITIES.map((name) => [name, `pricing.capabilities.${name}`] as const) },
    { key: "available", options: [["yes", "pricing.available"]] },
  ],
  tools: [
    {
      name: "calculator",
      label: "model.calculator.open",
      icon: Calculate,
      open: (_, close, { data, address }) => (
        <CalculatorDialog
          filters={filtersOf(address, data)}
          userId={data.userId}
          group={data.group}
          groupRatio={data.groupRatio}
          onClose={close}
        />
      ),
    },
    {
      name: "changes.title",
      icon: History,
      open: (_, close, { data }) => <PriceChangesDialog userId={data.userId} onClose={close} />,
    },
  ],
  bulk: [{ name: "copySelected", icon: Copy, run: ({ ids }, context) => copyNames(ids, context) }],
  isSelectionLasting: true,
  isDim: ({ enable_groups: groups }, { data }) => !groups.includes(data.group),
  empty: { title: "pricing.empty.title", body: "pricing.empty.body", action: <NoModelsAction isPrimary /> },
  emptyFiltered: { title: "pricing.empty.filteredTitle", body: "pricing.empty.filteredBody" },
  above({ data: { list, userId, group, groupRatio } }) {
    if (!list.data) return !list.error && <Skeleton variant="rounded" height={62} sx={{ mb: 3 }} />;
    const discount = list.data.discounts[group];
    return <PriceNotes isVisitor={userId === undefined} group={group} ratio={groupRatio} discount={discount} />;
  },
  useData,
};

type Data = ReturnType<typeof useData>;

function useData() {
  const userId = useSession().user?.id;
  const list = useQuery(priceGroups(userId));
  const groups = Object.keys(list.data?.group_ratio ?? {});
  const chosen = useAddress().text("group");
  const group = groups.includes(chosen) ? chosen : (list.data?.group ?? "");
  const view: PriceView = {
    group,
    groups,
    groupRatio: list.data?.group_ratio[group] ?? 1,
    ratioOf: (name) => list.data?.group_ratio[name] ?? 1,
    quotaPerUnit: useMoneyFormat().quotaPerUnit,
  };
  return { ...view, userId, list, makers: list.data?.makers ?? [] };
}

export const PricingPage = () => (
  <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
    <ListPage list={PRICES} />
  </Box>
);

type PriceNotesProps = Readonly<{ isVisitor: boolean; group: string; ratio: number; discount: Discount | undefined }>;

/** Explains for which group the prices are, and how they are computed. */
const PriceNotes = ({ isVisitor, group, ratio, discount }: PriceNotesProps) => {
  const { t, i18n } = useTranslation();
  const [isExplaining, setExplaining] = useState(false);
  const tone = isVisitor ? "warn" : "info";
  return (
    <>
      <Row
        gap={2.5}
        sx={{
          mb: 4,
          px: 3,
          py: 2,
          borderRadius: 1,
          border: "1px solid",
          borderColor: `tone.${tone}.line`,
          bgcolor: `tone.${tone}.tint`,
          fontSize: 13,
        }}
      >
        <Box sx={{ flex: 1 }}>
          <Box>{t(isVisitor ? "pricing.visitor" : "pricing.yourGroup", { group, ratio })}</Box>
          {discount && (
            <Box sx={{ fontWeight: 560 }}>
              {t("pricing.discount", {
                group,
                percent: discount.percent,
                until: exactTime(discount.until, i18n.language),
              })}
            </Box>
          )}
          <Box sx={{ color: "text.secondary" }}>{t("pricing.formula")}</Box>
        </Box>
        <Tip title={t("pricing.explain.open")}>
          <IconButton aria-label={t("pricing.explain.open")} onClick={() => setExplaining(true)}>
            <Info />
          </IconButton>
        </Tip>
      </Row>
      {isExplaining && (
        <Dialog open onClose={() => setExplaining(false)} maxWidth="sm" aria-labelledby="ratios-explained">
          <DialogTitle id="ratios-explained">{t("pricing.explain.title")}</DialogTitle>
          <DialogContent sx={{ fontSize: 13.5, lineHeight: "21px", "& p": { mt: 0 } }}>
            <p>{t("pricing.explain.model")}</p>
            <p>{t("pricing.explain.completion")}</p>
            <p>{t("pricing.explain.group")}</p>
            <p>{t("pricing.explain.cache")}</p>
            <p>{t("pricing.explain.call")}</p>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => setExplaining(false)}>{t("pricing.explain.close")}</Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
};
