import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { EFFORTS, MODALITIES, REASONING_STYLES } from "../../../../src/catalog/entry.ts";
import { useAction } from "../../../components/feedback/use-action.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { Col } from "../../../components/layout.tsx";
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

/** What a change of the catalog changes. */
const CHANGED = [catalog, { queryKey: ["pricing"] }];

/** Edits the operator's overrides of a model's catalog entry. */
export const CatalogDrawer = ({ entry, mayEdit, onClose }: CatalogDrawerProps) => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => CHANGED.map((filters) => client.invalidateQueries(filters)));
  const facts = entry?.facts;
  const reset = ({ model }: CatalogModel) =>
    act({
      question: {
        title: t("catalog.reset.title", { model }),
        body: t("catalog.reset.body"),
        action: t("catalog.reset.action"),
      },
      work: async () => {
        await deleteEntry(model);
        onClose();
      },
      done: () => t("catalog.reset.done", { model }),
    });
  const save = async (form: EntryForm) => {
    const model = form.model.trim();
    await putEntry(model, entryOf(form, entry));
    return t("catalog.saved", { model });
  };
  const inherited = (value: string) => t("catalog.form.inherit", { value });
  const flagText = (value: boolean | null | undefined) =>
    t(value == null ? "catalog.form.unknown" : value ? "catalog.form.yes" : "catalog.form.no");
  const kind = (value: string) => t(`catalog.kinds.${value}`);
  const listed = (values: readonly string[] | null | undefined) =>
    inherited(values ? joinWords(values.map(kind), i18n.language) : t("catalog.form.unknown"));
  const yesNo = (value: boolean | null | undefined) =>
    [
      ["inherit", inherited(flagText(value))],
      ["yes", t("catalog.form.yes")],
      ["no", t("catalog.form.no")],
    ] as const;
  const styleName = facts?.reasoning ? t(`catalog.styles.${facts.reasoning.style}`) : t("catalog.form.unknown");
  const known = (value: string | number | null | undefined) => (value == null ? "" : String(value));
  return (
    <ResourceForm<EntryForm>
      hasDraft
      title={entry ? entry.model : t("catalog.form.createTitle")}
      subtitle={facts?.name}
      action={t("catalog.form.save")}
      isNew={false}
      isReadOnly={!mayEdit}
      text={(name) => `catalog.form.${name}`}
      initial={entryForm(entry)}
      check={checkEntryForm}
      save={save}
      reload={CHANGED}
      note={mayEdit && entry?.own && <Button onClick={() => void reset(entry)}>{t("catalog.reset.action")}</Button>}
      sections={({ model, style, price }) => [
        !entry && {
          title: t("catalog.form.name"),
          fields: [
            {
              kind: "text",
              field: "model",
              label: t("catalog.columns.model"),
              hint: t("catalog.form.nameHint"),
              placeholder: "acme-1",
            },
          ],
        },
        {
          title: t("catalog.form.limits"),
          hint: t("catalog.form.limitsHint"),
          fields: [
            {
              kind: "text",
              field: "provider",
              label: t("catalog.columns.provider"),
              placeholder: known(facts?.provider),
            },
            { kind: "text", field: "description", hint: true, placeholder: known(facts?.description) },
            [
              { kind: "text", field: "context", placeholder: known(facts?.context_window) },
              { kind: "text", field: "output", placeholder: known(facts?.output_limit) },
            ],
          ],
        },
        {
          title: t("catalog.form.abilities"),
          fields: [
            {
              kind: "several",
              field: "inputs",
              hint: listed(facts?.input_modalities),
              options: optionsOf(MODALITIES, kind),
            },
            {
              kind: "several",
              field: "outputs",
              hint: listed(facts?.output_modalities),
              options: optionsOf(MODALITIES, kind),
            },
            [
              { kind: "select", field: "tools", options: yesNo(facts?.tools) },
              { kind: "select", field: "schema", options: yesNo(facts?.structured_output) },
            ],
            {
              kind: "select",
              field: "style",
              label: t("catalog.columns.reasoning"),
              options: [
                ["inherit", inherited(styleName)],
                ...optionsOf(REASONING_STYLES, (name) => t(`catalog.styles.${name}`)),
              ],
            },
            (style === "effort" || style.startsWith("adaptive")) && {
              kind: "several",
              field: "efforts",
              options: optionsOf(EFFORTS, String),
            },
            style.includes("budget") && [
              { kind: "text", field: "minBudget" },
              { kind: "text", field: "maxBudget" },
            ],
          ],
        },
        !model.includes("*") && {
          title: t("catalog.form.price"),
          hint: t("catalog.form.priceHint"),
          fields: [
            {
              kind: "select",
              field: "price",
              label: t("catalog.form.priceChange"),
              options: [
                ["keep", t("catalog.form.priceKeep")],
                ["list", t("catalog.form.priceList")],
                ["tokens", t("catalog.form.priceTokens")],
                ["call", t("catalog.form.priceCallKind")],
              ],
            },
            price === "tokens" && [
              { kind: "text", field: "priceInput" },
              { kind: "text", field: "priceOutput" },
              { kind: "text", field: "priceCached" },
            ],
            price === "call" && { kind: "text", field: "priceCall" },
          ],
        },
        {
          title: t("catalog.form.origin"),
          fields: [
            [
              { kind: "text", field: "deprecation", placeholder: facts?.deprecation_date ?? "2027-01-31" },
              { kind: "text", field: "successor", placeholder: known(facts?.successor) },
            ],
            { kind: "text", field: "source", placeholder: "https://" },
            entry && entry.pages.length > 0 && <Sources key="pages" pages={entry.pages} readOn={entry.read_on} />,
          ],
        },
      ]}
      onClose={onClose}
    />
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
