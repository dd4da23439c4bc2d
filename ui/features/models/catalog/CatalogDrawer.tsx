import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { EFFORTS, MODALITIES, REASONING_STYLES } from "../../../../src/catalog/entry.ts";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { type CatalogModel, catalog, deleteEntry, putEntry } from "./catalog-calls.ts";
import { joinWords } from "./catalog-columns.tsx";
import { checkEntryForm, type EntryForm, entryForm, entryOf } from "./entry-form.ts";

type CatalogDrawerProps = Readonly<{
  /** Null: a new entry. */
  entry: CatalogModel | null;
  /** Only super admins change entries. */
  mayEdit: boolean;
  onClose: () => void;
}>;

type TextField = { [K in keyof EntryForm]: EntryForm[K] extends string ? K : never }[keyof EntryForm];

/** Edits the operator's overrides of a model's catalog entry. */
export const CatalogDrawer = ({ entry, mayEdit, onClose }: CatalogDrawerProps) => {
  const { t, i18n } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const confirm = useConfirm();
  const facts = entry?.facts;
  const refresh = () => {
    void client.invalidateQueries(catalog);
    void client.invalidateQueries({ queryKey: ["pricing"] });
  };
  const send = async (form: EntryForm) => {
    const model = form.model.trim();
    await putEntry(model, entryOf(form, entry));
    refresh();
    notifyDone(t("catalog.saved", { model }));
    onClose();
  };
  const { body, initial, form, change, faults, isSaving, submit } = useCheckedForm({
    initial: entryForm(entry),
    check: checkEntryForm,
    send,
  });
  const isDirty = JSON.stringify(initial) !== JSON.stringify(form);
  const reset = async () => {
    if (!entry) return;
    const { model } = entry;
    const question = {
      title: t("catalog.reset.title", { model }),
      body: t("catalog.reset.body"),
      action: t("catalog.reset.action"),
    };
    if (!(await confirm(question))) return;
    try {
      await deleteEntry(model);
      refresh();
      notifyDone(t("catalog.reset.done", { model }));
      onClose();
    } catch (error) {
      notifyError(error);
    }
  };
  const text = (field: TextField, label: string, placeholder?: string | number | null, hint?: string) => (
    <Field
      label={label}
      htmlFor={`${id}${field}`}
      error={faults[field] && t(`catalog.form.errors.${faults[field]}`)}
      hint={hint}
    >
      <OutlinedInput
        id={`${id}${field}`}
        fullWidth
        disabled={!mayEdit}
        value={form[field]}
        placeholder={placeholder == null ? "" : String(placeholder)}
        error={faults[field] !== undefined}
        onChange={(event) => change({ [field]: event.target.value })}
      />
    </Field>
  );
  const select = <K extends "tools" | "schema" | "style" | "price">(
    field: K,
    label: string,
    options: readonly (readonly [value: EntryForm[K], label: string])[],
    hint?: string,
  ) => (
    <Field label={label} hint={hint}>
      <Select
        fullWidth
        disabled={!mayEdit}
        value={form[field]}
        SelectDisplayProps={{ "aria-label": label }}
        onChange={(event) => change({ [field]: event.target.value })}
      >
        {options.map(([value, name]) => (
          <MenuItem key={value} value={value}>
            {name}
          </MenuItem>
        ))}
      </Select>
    </Field>
  );
  const several = <K extends "inputs" | "outputs" | "efforts">(
    field: K,
    label: string,
    options: readonly EntryForm[K][number][],
    nameOf: (value: EntryForm[K][number]) => string,
    hint?: string,
  ) => (
    <Field label={label} hint={hint}>
      <ToggleButtonGroup
        size="small"
        disabled={!mayEdit}
        value={form[field]}
        aria-label={label}
        onChange={(_, value: EntryForm[K]) => change({ [field]: value })}
        sx={{ flexWrap: "wrap" }}
      >
        {options.map((value) => (
          <ToggleButton key={value} value={value}>
            {nameOf(value)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </Field>
  );
  const inherited = (value: string) => t("catalog.form.inherit", { value });
  const flagText = (value: boolean | null | undefined) =>
    t(value == null ? "catalog.form.unknown" : value ? "catalog.form.yes" : "catalog.form.no");
  const kind = (value: string) => t(`catalog.kinds.${value}`);
  const listed = (values: readonly string[] | null | undefined, nameOf: (value: string) => string) =>
    inherited(values ? joinWords(values.map(nameOf), i18n.language) : t("catalog.form.unknown"));
  const yesNo = (value: boolean | null | undefined) =>
    [
      ["inherit", inherited(flagText(value))],
      ["yes", t("catalog.form.yes")],
      ["no", t("catalog.form.no")],
    ] as const;
  const styleName = facts?.reasoning ? t(`catalog.styles.${facts.reasoning.style}`) : t("catalog.form.unknown");
  const isPattern = form.model.includes("*");
  return (
    <SideDrawer
      title={entry ? entry.model : t("catalog.form.createTitle")}
      subtitle={entry?.facts.name ?? ""}
      isDirty={isDirty && !isSaving}
      onClose={onClose}
      footer={(close) => (
        <>
          {mayEdit && entry?.own && <Button onClick={reset}>{t("catalog.reset.action")}</Button>}
          <Box sx={{ flex: 1 }} />
          <Button onClick={close}>{t(mayEdit ? "components.cancel" : "components.close")}</Button>
          {mayEdit && (
            <Button variant="contained" color="primary" loading={isSaving} disabled={!isDirty} onClick={submit}>
              {t("catalog.form.save")}
            </Button>
          )}
        </>
      )}
    >
      <Box ref={body}>
        {!entry && (
          <Section title={t("catalog.form.name")}>
            {text("model", t("catalog.columns.model"), "acme-1", t("catalog.form.nameHint"))}
          </Section>
        )}
        <Section title={t("catalog.form.limits")} hint={t("catalog.form.limitsHint")}>
          {text("provider", t("catalog.columns.provider"), facts?.provider)}
          {text("description", t("catalog.form.description"), facts?.description, t("catalog.form.descriptionHint"))}
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            {text("context", t("catalog.form.context"), facts?.context_window)}
            {text("output", t("catalog.form.output"), facts?.output_limit)}
          </Row>
        </Section>
        <Section title={t("catalog.form.abilities")}>
          {several("inputs", t("catalog.form.inputs"), MODALITIES, kind, listed(facts?.input_modalities, kind))}
          {several("outputs", t("catalog.form.outputs"), MODALITIES, kind, listed(facts?.output_modalities, kind))}
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            {select("tools", t("catalog.form.tools"), yesNo(facts?.tools))}
            {select("schema", t("catalog.form.schema"), yesNo(facts?.structured_output))}
          </Row>
          {select("style", t("catalog.columns.reasoning"), [
            ["inherit", inherited(styleName)],
            ...REASONING_STYLES.map((style) => [style, t(`catalog.styles.${style}`)] as const),
          ])}
          {(form.style === "effort" || form.style.startsWith("adaptive")) &&
            several("efforts", t("catalog.form.efforts"), EFFORTS, (effort) => effort)}
          {form.style.includes("budget") && (
            <Row gap={3} sx={{ alignItems: "flex-start" }}>
              {text("minBudget", t("catalog.form.minBudget"))}
              {text("maxBudget", t("catalog.form.maxBudget"))}
            </Row>
          )}
        </Section>
        {!isPattern && (
          <Section title={t("catalog.form.price")} hint={t("catalog.form.priceHint")}>
            {select("price", t("catalog.form.priceChange"), [
              ["keep", t("catalog.form.priceKeep")],
              ["list", t("catalog.form.priceList")],
              ["tokens", t("catalog.form.priceTokens")],
              ["call", t("catalog.form.priceCallKind")],
            ])}
            {form.price === "tokens" && (
              <Row gap={3} sx={{ alignItems: "flex-start" }}>
                {text("priceInput", t("catalog.form.priceInput"))}
                {text("priceOutput", t("catalog.form.priceOutput"))}
                {text("priceCached", t("catalog.form.priceCached"))}
              </Row>
            )}
            {form.price === "call" && text("priceCall", t("catalog.form.priceCall"))}
          </Section>
        )}
        <Section title={t("catalog.form.origin")}>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            {text("deprecation", t("catalog.form.deprecation"), facts?.deprecation_date ?? "2027-01-31")}
            {text("successor", t("catalog.form.successor"), facts?.successor ?? "")}
          </Row>
          {text("source", t("catalog.form.source"), "https://")}
          {entry && entry.pages.length > 0 && <Sources pages={entry.pages} readOn={entry.read_on} />}
        </Section>
      </Box>
    </SideDrawer>
  );
};

const Sources = ({ pages, readOn }: { pages: readonly string[]; readOn: string | null }) => {
  const { t } = useTranslation();
  return (
    <Col gap={1} sx={{ fontSize: 12.5, color: "text.secondary" }}>
      <span>{readOn ? t("catalog.form.readOn", { date: readOn }) : t("catalog.form.readFrom")}</span>
      {pages.map((page) => (
        <Link key={page} href={page} target="_blank" rel="noreferrer" sx={{ overflowWrap: "anywhere" }}>
          {page}
        </Link>
      ))}
    </Col>
  );
};
