import Sync from "@mui/icons-material/SyncOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { notifyError, notifyInfo } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { fetchModels, fetchStoredModels } from "../channel-calls.ts";
import { allModels, pricedModels } from "../channel-queries.ts";
import type { SectionProps } from "./form/channel-form.ts";
import { keysOf } from "./form/channel-form.ts";
import { ModelPicker } from "./ModelPicker.tsx";
import { unpricedModels } from "./unpriced-models.ts";

type ModelsSectionProps = SectionProps & { types: readonly ChannelType[]; storedId: number | null };
type Offer = Readonly<{ names: readonly string[]; isUpstream: boolean }>;

/** The models that the channel serves: typed, pasted, the defaults of its type, or fetched from its upstream. */
export const ModelsSection = ({ form, faults, change, types, storedId }: ModelsSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const [offer, setOffer] = useState<Offer | null>(null);
  const [isFetching, setFetching] = useState(false);
  const every = useQuery(allModels).data ?? [];
  const type = types.find((known) => known.id === form.type);
  const unpriced = unpricedModels(form, useQuery(pricedModels).data);

  const add = (names: readonly string[]) => {
    const fresh = names.filter((name) => !form.models.includes(name));
    if (fresh.length < names.length) notifyInfo(t("channels.form.modelsIgnored"));
    else notifyInfo(t("channels.form.modelsAdded", { count: fresh.length }));
    change({ models: [...form.models, ...fresh] });
  };
  const askUpstream = async () => {
    const [key = ""] = keysOf(form.key, form.type);
    if (key === "" && storedId === null) return notifyInfo(t("channels.form.fetchNeedsKey"));
    setFetching(true);
    try {
      const names = key === "" && storedId !== null ? await fetchStoredModels(storedId) : await fetchModels(form, key);
      setOffer({ names, isUpstream: true });
    } catch (error) {
      notifyError(error);
    } finally {
      setFetching(false);
    }
  };
  return (
    <Section title={t("channels.form.models")}>
      <Field
        label={t("channels.form.modelNames")}
        htmlFor={`${id}models`}
        error={faults.models && t(`channels.form.errors.${faults.models}`)}
        hint={
          unpriced.length > 0 &&
          [
            t("channels.form.unpriced", { count: unpriced.length, names: shortList(unpriced) }),
            type?.noListPrice && t(`channels.noListPrice.${type.noListPrice}`),
          ]
            .filter(Boolean)
            .join(" ")
        }
      >
        <NameListInput
          id={`${id}models`}
          value={form.models}
          onChange={(models) => change({ models })}
          options={every}
          placeholder={t("channels.form.modelsPlaceholder")}
          invalid={faults.models !== undefined}
        />
        <Row gap={1} wrap sx={{ mt: 2 }}>
          {type?.listsModels !== false && (
            <Button
              size="small"
              startIcon={<Sync />}
              loading={isFetching}
              loadingPosition="start"
              onClick={askUpstream}
            >
              {t("channels.form.fetch")}
            </Button>
          )}
          {type && type.models.length > 0 && (
            <Button size="small" variant="text" onClick={() => add(type.models)}>
              {t("channels.form.fill")}
            </Button>
          )}
          <Button size="small" variant="text" onClick={() => setOffer({ names: every, isUpstream: false })}>
            {t("channels.form.pick")}
          </Button>
          {form.models.length > 0 && (
            <Row gap={1}>
              <Button size="small" variant="text" onClick={() => change({ models: [] })}>
                {t("channels.form.clear")}
              </Button>
              <CopyButton text={form.models.join(",")} label={t("channels.form.copyModels")} />
            </Row>
          )}
        </Row>
      </Field>
      {offer && (
        <ModelPicker
          offered={offer.names}
          groups={offer.isUpstream ? undefined : types.filter(({ models }) => models.length > 0)}
          note={offer.isUpstream ? t("channels.form.pickFetched", { count: offer.names.length }) : undefined}
          chosen={form.models}
          onApply={(models) => change({ models })}
          onClose={() => setOffer(null)}
        />
      )}
    </Section>
  );
};

const MOST_NAMES = 5;
const shortList = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? " …" : "");
