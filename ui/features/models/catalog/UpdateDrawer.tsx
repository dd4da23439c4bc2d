import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import Link from "@mui/material/Link";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { fuzzyMatch } from "../../../../src/domain/models/model-name-rules.ts";
import { Tag } from "../../../components/display/Tag.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { applyUpdate, catalog, type UpdateSource, updatePreview } from "./catalog-calls.ts";
import { factText, modelsOf, rowKey, selectionOf, type UpdateModel, type UpdateRow } from "./update-rows.ts";

/** Sources by the names of their texts; null: the URL in the settings. */
const FEEDS = { modelsDev: "models.dev", openRouter: "OpenRouter", sluice: "Sluice", settings: null } as const;
type SourceName = keyof typeof FEEDS;
const SOURCES: readonly SourceName[] = ["modelsDev", "openRouter", "sluice", "settings"];

const MOST_SHOWN = 200;
const NO_MODELS: readonly UpdateModel[] = [];

type UpdateDrawerProps = Readonly<{
  /** The text of a file; absent: a source is chosen. */
  document?: string;
  onClose: () => void;
}>;

/** Shows what a source would change of the catalog, row by row, and applies the chosen rows. */
export const UpdateDrawer = ({ document, onClose }: UpdateDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<UpdateSource | null>(document === undefined ? null : { document });
  const preview = useQuery(updatePreview(chosen));
  const entries = useQuery(catalog).data?.entries;
  const [text, setText] = useState("");
  const [onlyServed, setOnlyServed] = useState(false);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const plan = preview.data;
  const models = useMemo(() => (plan ? modelsOf(plan) : NO_MODELS), [plan]);
  const served = useMemo(
    () => new Set(entries?.flatMap(({ model, is_served }) => (is_served ? [model] : []))),
    [entries],
  );
  const found = useMemo(
    () => models.filter(({ model }) => fuzzyMatch(text, model) && (!onlyServed || served.has(model))),
    [models, text, onlyServed, served],
  );
  const selection = selectionOf(found, excluded);
  const count = selection.reduce((sum, { fields }) => sum + fields.length, 0);
  const toggle = (keys: readonly string[], isSelected: boolean) =>
    setExcluded((known) => {
      const next = new Set(known);
      for (const key of keys) {
        if (isSelected) next.delete(key);
        else next.add(key);
      }
      return next;
    });
  const apply = useMutation({
    mutationFn: () => applyUpdate({ ...chosen, selection, ...(plan && { digest: plan.digest }) }),
    onSuccess: (applied) => {
      void client.invalidateQueries(catalog);
      void client.invalidateQueries({ queryKey: ["pricing"] });
      notifyDone(t("catalog.update.done", { count: modelsOf(applied).length }));
      onClose();
    },
    onError: notifyError,
  });
  const keysOf = (shown: readonly UpdateModel[]) =>
    shown.flatMap(({ model, rows }) => rows.map(({ field }) => rowKey(model, field)));
  return (
    <SideDrawer
      title={t("catalog.update.title")}
      subtitle={t("catalog.update.purpose")}
      onClose={onClose}
      footer={(close) => (
        <>
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t("components.cancel")}</Button>
          <Button
            variant="contained"
            color="primary"
            disabled={count === 0}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            {t("catalog.update.apply", { count })}
          </Button>
        </>
      )}
    >
      {document === undefined && (
        <SourceChoice
          onChoose={(source) => {
            setChosen(source);
            setExcluded(new Set());
          }}
        />
      )}
      {preview.isFetching && !plan && <Loading label={t("catalog.update.loading")} />}
      {preview.error && <ErrorState error={preview.error} onRetry={() => preview.refetch()} />}
      {plan && !preview.error && models.length === 0 && <Box role="status">{t("catalog.update.nothing")}</Box>}
      {plan && !preview.error && models.length > 0 && (
        <Section title={t("catalog.update.facts", { count: models.length })} hint={t("catalog.update.pricesHint")}>
          <OutlinedInput
            type="search"
            size="small"
            fullWidth
            value={text}
            placeholder={t("catalog.filters.search")}
            inputProps={{ "aria-label": t("catalog.filters.search") }}
            onChange={(event) => setText(event.target.value)}
          />
          <Row wrap gap={2} sx={{ rowGap: 0 }}>
            <FormControlLabel
              control={<Checkbox checked={onlyServed} onChange={(_, checked) => setOnlyServed(checked)} />}
              label={t("catalog.update.onlyServed")}
            />
            <Box sx={{ flex: 1 }} />
            <Button size="small" variant="text" onClick={() => toggle(keysOf(found), true)}>
              {t("catalog.update.selectAll")}
            </Button>
            <Button size="small" variant="text" onClick={() => toggle(keysOf(found), false)}>
              {t("catalog.update.selectNone")}
            </Button>
          </Row>
          {found.length === 0 && <Box role="status">{t("catalog.empty.filteredTitle")}</Box>}
          {found.slice(0, MOST_SHOWN).map((model) => (
            <ModelRows key={model.model} model={model} excluded={excluded} onToggle={toggle} />
          ))}
          {found.length > MOST_SHOWN && <Box>{t("catalog.update.more", { count: found.length - MOST_SHOWN })}</Box>}
        </Section>
      )}
    </SideDrawer>
  );
};

/** Chooses where the update comes from. */
const SourceChoice = ({ onChoose }: { onChoose: (source: UpdateSource) => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const [name, setName] = useState<SourceName>("modelsDev");
  const [address, setAddress] = useState("");
  const needsAddress = name === "sluice";
  const choose = () => {
    const feed = FEEDS[name];
    onChoose(feed === null ? {} : { source: feed, ...(needsAddress && { address: address.trim() }) });
  };
  return (
    <Section title={t("catalog.update.source")} hint={t(`catalog.update.sources.${name}.hint`)}>
      <Select
        size="small"
        fullWidth
        value={name}
        inputProps={{ "aria-label": t("catalog.update.source") }}
        onChange={(event) => setName(event.target.value)}
      >
        {SOURCES.map((source) => (
          <MenuItem key={source} value={source}>
            {t(`catalog.update.sources.${source}.name`)}
          </MenuItem>
        ))}
      </Select>
      {needsAddress && (
        <Field label={t("catalog.update.address")} htmlFor={id}>
          <OutlinedInput
            id={id}
            size="small"
            fullWidth
            value={address}
            placeholder="https://sluice.example.com"
            inputProps={{ className: "mono", spellCheck: false, inputMode: "url" }}
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
      )}
      <Row>
        <Button variant="outlined" disabled={needsAddress && address.trim() === ""} onClick={choose}>
          {t("catalog.update.show")}
        </Button>
      </Row>
    </Section>
  );
};

const Loading = ({ label }: { label: string }) => (
  <Box role="status" aria-label={label}>
    <Col gap={2}>
      {[0, 1, 2, 3].map((line) => (
        <Skeleton key={line} height={44} variant="rounded" />
      ))}
    </Col>
  </Box>
);

type ModelRowsProps = Readonly<{
  model: UpdateModel;
  excluded: ReadonlySet<string>;
  onToggle: (keys: readonly string[], isSelected: boolean) => void;
}>;

/** The differences of one model, each with a box to take it out. */
const ModelRows = ({ model: { model, kind, rows }, excluded, onToggle }: ModelRowsProps) => {
  const { t } = useTranslation();
  const keys = rows.flatMap(({ field, applies }) => (applies ? [rowKey(model, field)] : []));
  const selected = keys.filter((key) => !excluded.has(key)).length;
  const [source] = rows.flatMap((row) => row.source ?? []);
  return (
    <Col gap={0} sx={{ borderTop: "1px solid", borderColor: "line.main", py: 1 }}>
      <Row gap={1}>
        <Checkbox
          size="small"
          checked={selected > 0}
          indeterminate={selected > 0 && selected < keys.length}
          disabled={keys.length === 0}
          slotProps={{ input: { "aria-label": model } }}
          onChange={(_, checked) => onToggle(keys, checked)}
        />
        <Box sx={{ fontSize: 13, fontWeight: 560, overflowWrap: "anywhere", minWidth: 0 }}>{model}</Box>
        {kind !== "changed" && <Tag tone={kind === "removed" ? "bad" : "ok"}>{t(`catalog.update.kinds.${kind}`)}</Tag>}
        <Box sx={{ flex: 1 }} />
        {source && URL.canParse(source) && (
          <Link href={source} target="_blank" rel="noreferrer" sx={{ fontSize: 12, flex: "none" }}>
            {new URL(source).host}
          </Link>
        )}
      </Row>
      {rows.map((row) => (
        <Difference
          key={row.field}
          model={model}
          row={row}
          isSelected={!excluded.has(rowKey(model, row.field))}
          onToggle={(isSelected) => onToggle([rowKey(model, row.field)], isSelected)}
        />
      ))}
    </Col>
  );
};

type DifferenceProps = Readonly<{
  model: string;
  row: UpdateRow;
  isSelected: boolean;
  onToggle: (isSelected: boolean) => void;
}>;

const Difference = ({ model, row: { field, members, applies }, isSelected, onToggle }: DifferenceProps) => {
  const { t } = useTranslation();
  const unknown = t("catalog.form.unknown");
  return (
    <Row gap={1} sx={{ alignItems: "flex-start", pl: { xs: 2, sm: 6 } }}>
      <Checkbox
        size="small"
        sx={{ p: 0.5 }}
        checked={applies && isSelected}
        disabled={!applies}
        slotProps={{ input: { "aria-label": `${model}: ${field}` } }}
        onChange={(_, checked) => onToggle(checked)}
      />
      <Col gap={0} sx={{ minWidth: 0, py: 0.5 }}>
        {members.map(({ name, before, after }) => (
          <Box
            key={name}
            className="mono"
            sx={{ fontSize: 12, lineHeight: "18px", overflowWrap: "anywhere", color: "text.secondary" }}
          >
            {name}: <s>{factText(before) ?? unknown}</s> →{" "}
            <Box component="span" sx={{ color: "text.primary" }}>
              {factText(after) ?? unknown}
            </Box>
          </Box>
        ))}
        {!applies && (
          <Box>
            <Tag tone="warn">{t("catalog.update.ownPrice")}</Tag>
          </Box>
        )}
      </Col>
    </Row>
  );
};
