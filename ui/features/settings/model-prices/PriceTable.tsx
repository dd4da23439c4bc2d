import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Difference from "@mui/icons-material/DifferenceOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Sell from "@mui/icons-material/SellOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Tag } from "../../../components/display/Tag.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatDollars } from "../../../lib/format/money.ts";
import { options } from "../option-calls.ts";
import { ListPriceDialog } from "./ListPriceDialog.tsx";
import { PriceDrawer } from "./PriceDrawer.tsx";
import { PriceInput } from "./PriceInput.tsx";
import { NEW_PRICE } from "./price-form.ts";
import { type PriceMaps, type PriceRow, priceRows, rowOf, withRow } from "./price-maps.ts";
import { NO_PRICE_VIEW, type usePriceMaps, usePriceView } from "./price-view.ts";

type PriceTableProps = Readonly<{ prices: ReturnType<typeof usePriceMaps>; maps: PriceMaps }>;

/** The prices of all models as a table; what is edited here is saved with the section. */
export const PriceTable = ({ prices, maps }: PriceTableProps) => {
  const { t } = useTranslation();
  const { search, billing, address } = usePriceView();
  const [drawer, setDrawer] = useState<PriceRow | null>(null);
  const [isComparing, setComparing] = useState(false);
  const { saved } = prices;
  const estimates = useQuery(options).data?.estimates ?? {};
  const all = useMemo(() => priceRows(maps), [maps]);
  const rows = all.filter(
    ({ name, price }) =>
      name.toLowerCase().includes(search.trim().toLowerCase()) &&
      (billing === "" || (billing === "per_call") === (price !== null)),
  );
  const isChanged = (row: PriceRow) =>
    "invalid" in saved || JSON.stringify(rowOf(saved, row.name)) !== JSON.stringify(row);
  const { shown, paging } = useLocalPaging(rows, t("settings.pricing.unit"), address);
  const apply = (row: PriceRow) => prices.apply(withRow(maps, row));
  const columns: readonly Column<PriceRow>[] = [
    {
      key: "name",
      head: t("settings.pricing.columns.name"),
      isTitle: true,
      cell: (row) => (
        <Row gap={2}>
          <span title={row.name} style={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
            {row.name}
          </span>
          {isChanged(row) && <Tag>{t("settings.pricing.changed")}</Tag>}
          {row.price !== null && estimates[row.name] === row.price && <Tag>{t("settings.pricing.assumed")}</Tag>}
        </Row>
      ),
    },
    {
      key: "billing",
      head: t("settings.pricing.columns.billing"),
      width: 96,
      cell: ({ price }) => t(`settings.pricing.billing.${price === null ? "per_token" : "per_call"}`),
    },
    {
      key: "input",
      head: t("settings.pricing.columns.input"),
      width: 132,
      align: "right",
      isSolid: true,
      cell: (row) =>
        row.price !== null ? (
          `${exactDollars(row.price)} ${t("settings.pricing.perCall")}`
        ) : (
          <PriceInput row={row} field="inputPrice" onApply={apply} />
        ),
    },
    {
      key: "output",
      head: t("settings.pricing.columns.output"),
      width: 132,
      align: "right",
      isSolid: true,
      cell: (row) =>
        row.price !== null || row.ratio === null ? "–" : <PriceInput row={row} field="outputPrice" onApply={apply} />,
    },
    {
      key: "ratio",
      head: t("settings.pricing.columns.ratio"),
      width: 96,
      align: "right",
      cell: ({ ratio }) => ratio ?? "–",
    },
    {
      key: "completionRatio",
      head: t("settings.pricing.columns.completionRatio"),
      width: 128,
      align: "right",
      cell: ({ completionRatio }) => completionRatio ?? "–",
    },
  ];
  const filters = [
    {
      key: "billing",
      label: t("settings.pricing.columns.billing"),
      value: billing,
      options: [
        { value: "per_token", label: t("settings.pricing.billing.per_token") },
        { value: "per_call", label: t("settings.pricing.billing.per_call") },
      ],
    },
  ];
  const model = useDataTable({
    columns,
    rows: shown,
    rowId: nameOf,
    rowName: nameOf,
    actions: (row) => [
      { label: t("settings.pricing.edit"), icon: <Edit />, onSelect: () => setDrawer(row) },
      {
        label: t("settings.pricing.remove"),
        icon: <Delete />,
        isDangerous: true,
        onSelect: () => prices.apply(withRow(maps, { ...NEW_PRICE, name: row.name })),
      },
    ],
  });
  return (
    <div>
      <FilterBar
        search={{ value: search, placeholder: t("settings.pricing.search") }}
        filters={filters}
        onChange={(key, value) => address.set({ [key === "search" ? "model" : key]: value, p: undefined })}
        onClear={() => address.set(NO_PRICE_VIEW)}
        pinned={
          <>
            <Button startIcon={<Difference />} onClick={() => setComparing(true)}>
              {t("settings.pricing.list.open")}
            </Button>
            <Button startIcon={<Add />} onClick={() => setDrawer(NEW_PRICE)}>
              {t("settings.pricing.add")}
            </Button>
          </>
        }
      />
      <DataTable
        model={model}
        empty={
          <EmptyState
            icon={<Sell />}
            title={t("settings.pricing.empty.title")}
            body={t("settings.pricing.empty.body")}
          />
        }
        paging={paging}
        onOpen={setDrawer}
      />
      {drawer && (
        <PriceDrawer
          row={drawer}
          isTaken={(name) => all.some((row) => row.name === name)}
          onApply={apply}
          onClose={() => setDrawer(null)}
        />
      )}
      {isComparing && <ListPriceDialog prices={prices} maps={maps} onClose={() => setComparing(false)} />}
    </div>
  );
};

const nameOf = ({ name }: PriceRow): string => name;
const exactDollars = (usd: number): string => formatDollars(usd, 2, 6);
