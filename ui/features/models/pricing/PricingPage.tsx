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
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Discount, fuzzyMatch, type PricedModel, pricing } from "../../../api/models/pricing.ts";
import { type Selected, selectedIds } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { SelectionBar } from "../../../components/data-table/SelectionBar.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyInfo } from "../../../components/feedback/notify.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { NoModelsAction } from "../../../components/page/NoModels.tsx";
import { Tip } from "../../../components/tip/Tip.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { CalculatorDialog } from "../page/CalculatorDialog.tsx";
import { CAPABILITIES, capabilityOf, makerOf } from "../page/model-traits.ts";
import { PriceChangesDialog } from "./PriceChangesDialog.tsx";
import { usePriceColumns } from "./price-columns.tsx";

const NO_ROWS: Selected = {};
const NO_MODELS: readonly PricedModel[] = [];

/** Public model prices. All models are loaded at once; a page of them is rendered. */
export const PricingPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const address = useAddress();
  const { data, error, refetch } = useQuery(pricing(user?.id));
  const [selected, setSelected] = useState(NO_ROWS);
  const [refused, setRefused] = useState("");
  const [isCalculating, setCalculating] = useState(false);
  const [isShowingChanges, setShowingChanges] = useState(false);
  const filters = {
    text: address.text("search"),
    maker: address.text("maker"),
    capability: address.text("capability"),
  };
  const { text, maker, capability } = filters;
  const onlyAvailable = address.text("available") === "yes";
  const groups = useMemo(() => Object.keys(data?.groupRatio ?? {}), [data]);
  const chosen = address.text("group");
  const group = groups.includes(chosen) ? chosen : (data?.ownGroup ?? "");
  const groupRatio = data?.groupRatio[group] ?? 1;
  const setAddress = address.set;
  const lookAt = useCallback(
    (name: string) => {
      setAddress({ group: name });
      notifyInfo(t("pricing.lookingAt", { group: name, ratio: data?.groupRatio[name] ?? 1 }));
    },
    [setAddress, t, data],
  );
  const view = useMemo(
    () => ({ group, groupRatio, groups, onGroup: lookAt, onRefused: setRefused }),
    [group, groupRatio, groups, lookAt],
  );
  const columns = usePriceColumns(view);
  const models = data?.models ?? NO_MODELS;
  const makers = useMemo(
    () => [...new Set(models.map(({ model_name }) => makerOf(model_name)))].filter(Boolean).sort(),
    [models],
  );
  const found = useMemo(
    () =>
      models.filter(
        (model) =>
          fuzzyMatch(text, model.model_name) &&
          (!maker || makerOf(model.model_name) === maker) &&
          (!capability || capabilityOf(model.model_name) === capability) &&
          (!onlyAvailable || model.enable_groups.includes(group)),
      ),
    [models, text, maker, capability, onlyAvailable, group],
  );
  const { shown, paging } = useLocalPaging(found, t("pricing.unit"), address);
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  const copySelected = async () => {
    const names = selectedIds(selected).join(",");
    if (await copyText(names)) notifyDone(t("pricing.copied", { count: selectedIds(selected).length }));
    else setRefused(names);
  };
  const isFiltered = text !== "" || maker !== "" || capability !== "" || onlyAvailable;
  const model = useDataTable({
    columns,
    rows: data && shown,
    rowId: nameOf,
    rowName: nameOf,
    selection: { selected, onChange: setSelected },
  });
  return (
    <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
      <PageHeader
        title={t("shell.prices")}
        purpose={t("pricing.purpose")}
        actions={
          <>
            <Button startIcon={<Calculate />} onClick={() => setCalculating(true)}>
              {t("model.calculator.open")}
            </Button>
            <Button startIcon={<History />} onClick={() => setShowingChanges(true)}>
              {t("pricing.changes.title")}
            </Button>
          </>
        }
      />
      {!data && !error && <Skeleton variant="rounded" height={62} sx={{ mb: 3 }} />}
      {data && (
        <PriceNotes isVisitor={user === null} group={group} ratio={groupRatio} discount={data.discounts[group]} />
      )}
      <FilterBar
        search={{ value: text, placeholder: t("pricing.search") }}
        filters={[
          {
            key: "group",
            label: t("pricing.filters.group"),
            value: chosen && group,
            options: groups.map((name) => ({ value: name, label: `${name} × ${data?.groupRatio[name]}` })),
          },
          {
            key: "maker",
            label: t("pricing.filters.maker"),
            value: maker,
            options: makers.map((name) => ({ value: name, label: name })),
          },
          {
            key: "capability",
            label: t("pricing.filters.capability"),
            value: capability,
            options: CAPABILITIES.map((name) => ({ value: name, label: t(`pricing.capabilities.${name}`) })),
          },
          {
            key: "available",
            label: t("pricing.filters.available"),
            value: onlyAvailable ? "yes" : "",
            options: [{ value: "yes", label: t("pricing.available") }],
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
      />
      <DataTable
        model={model}
        error={error}
        onRetry={() => refetch()}
        empty={
          <EmptyState
            icon={<Sell />}
            title={t(isFiltered ? "pricing.empty.filteredTitle" : "pricing.empty.title")}
            body={t(isFiltered ? "pricing.empty.filteredBody" : "pricing.empty.body")}
            action={
              isFiltered ? (
                <Button onClick={address.clear}>{t("components.filter.clear")}</Button>
              ) : (
                <NoModelsAction isPrimary />
              )
            }
          />
        }
        paging={paging}
        isDim={(model) => !model.enable_groups.includes(group)}
      />
      {selectedIds(selected).length > 0 && (
        <SelectionBar
          count={selectedIds(selected).length}
          onClear={clearSelection}
          actions={[
            {
              label: t("pricing.copySelected", { count: selectedIds(selected).length }),
              icon: <Copy />,
              onSelect: copySelected,
            },
          ]}
        />
      )}
      {isCalculating && (
        <CalculatorDialog models={found} groupRatio={groupRatio} onClose={() => setCalculating(false)} />
      )}
      {isShowingChanges && <PriceChangesDialog userId={user?.id} onClose={() => setShowingChanges(false)} />}
      {refused && <ManualCopyDialog text={refused} onClose={() => setRefused("")} />}
    </Box>
  );
};

const nameOf = ({ model_name }: PricedModel): string => model_name;

type Props = Readonly<{ isVisitor: boolean; group: string; ratio: number; discount: Discount | undefined }>;

/** Explains for which group the prices are, and how they are computed. */
const PriceNotes = ({ isVisitor, group, ratio, discount }: Props) => {
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
