import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { type FormEntry, optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { namesOf } from "../../../lib/json.ts";
import { checkPriceForm, type PriceField, type PriceForm, priceFormOf, rowOfForm, typed } from "./price-form.ts";
import type { PriceRow } from "./price-maps.ts";

type PriceDrawerProps = Readonly<{
  /** Without a name: a new model. */
  row: PriceRow;
  isTaken: (name: string) => boolean;
  onApply: (row: PriceRow) => void;
  onClose: () => void;
}>;

/** The price of one model, as ratios or in dollars; saved with the section. */
export const PriceDrawer = ({ row, isTaken, onApply, onClose }: PriceDrawerProps) => {
  const { t } = useTranslation();
  const isNew = row.name === "";
  const follow = (changed: Partial<PriceForm>, form: PriceForm): Partial<PriceForm> => {
    const [field] = namesOf(changed);
    if (!field || field === "billing" || field === "entry") return {};
    const text = changed[field] ?? "";
    if (field === "name" || text.trim() === "" || Number.isFinite(Number(text))) return typed(form, field, text);
    notifyError(t("settings.pricing.errors.number"));
    return { [field]: form[field] };
  };
  const price = (field: Exclude<PriceField, "name">, unit: string): FormEntry<PriceForm> => ({
    kind: "number",
    field,
    hint: t(`settings.pricing.hints.${field}`),
    end: unit,
  });
  const perMillion = t("settings.pricing.perMillion");
  return (
    <ResourceForm
      title={isNew ? t("settings.pricing.add") : row.name}
      action={t("settings.pricing.apply")}
      isNew={isNew}
      resource={isNew ? null : { section: "prices", name: row.name }}
      text={(name) => `settings.pricing.form.${name}`}
      initial={priceFormOf(row)}
      check={(form) => checkPriceForm(form, isNew ? isTaken : () => false)}
      fault={(fault) => t(`settings.pricing.errors.${fault}`)}
      follow={follow}
      save={async (form) => {
        onApply(rowOfForm(form));
        return undefined;
      }}
      reload={[]}
      sections={(form) => [
        {
          fields: [
            {
              kind: "text",
              field: "name",
              label: t("settings.pricing.columns.name"),
              autoFocus: isNew,
              isDisabled: !isNew,
            },
            {
              kind: "choice",
              field: "billing",
              label: t("settings.pricing.columns.billing"),
              options: optionsOf(["per_token", "per_call"], (billing) => t(`settings.pricing.billing.${billing}`)),
            },
            ...(form.billing === "per_call"
              ? [price("price", "USD"), price("megapixelPrice", "USD")]
              : ([
                  {
                    kind: "choice",
                    field: "entry",
                    label: t("settings.pricing.entryLabel"),
                    options: optionsOf(["price", "ratio"], (entry) => t(`settings.pricing.entry.${entry}`)),
                  },
                  ...(form.entry === "price"
                    ? [price("inputPrice", perMillion), price("outputPrice", perMillion)]
                    : [price("ratio", "×"), price("completionRatio", "×")]),
                  price("cacheRatio", "×"),
                  <Box key="summary" className="num" role="status" sx={{ fontSize: 12.5, color: "text.secondary" }}>
                    {t("settings.pricing.summary", {
                      input: form.inputPrice || "–",
                      output: form.outputPrice || "–",
                      ratio: form.ratio || "–",
                      completion: form.completionRatio || "–",
                    })}
                  </Box>,
                ] as const satisfies readonly FormEntry<PriceForm>[])),
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
