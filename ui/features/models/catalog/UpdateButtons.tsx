import Download from "@mui/icons-material/CloudDownloadOutlined";
import Upload from "@mui/icons-material/UploadFileOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Tag } from "../../../components/display/Tag.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Section, SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { applyUpdate, catalog, previewUpdate, type UpdatePlan } from "./catalog-calls.ts";

type Preview = Readonly<{ plan: UpdatePlan; document?: string }>;

/** Updates the catalog from the URL in the settings or from a file, after a preview. */
export const UpdateButtons = () => {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const look = useMutation({
    mutationFn: async (file: File | null): Promise<Preview> => {
      const source = file ? { document: await file.text() } : {};
      return { ...source, plan: await previewUpdate(source) };
    },
    onSuccess: setPreview,
    onError: notifyError,
  });
  return (
    <>
      <Button
        startIcon={<Download />}
        loading={look.isPending && look.variables === null}
        onClick={() => look.mutate(null)}
      >
        {t("catalog.update.fetch")}
      </Button>
      <Button startIcon={<Upload />} onClick={() => input.current?.click()}>
        {t("catalog.update.import")}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t("catalog.update.import")}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) look.mutate(file);
          // Allows choosing the same file again.
          event.target.value = "";
        }}
      />
      {preview && <UpdateDrawer {...preview} onClose={() => setPreview(null)} />}
    </>
  );
};

type UpdateDrawerProps = Readonly<{
  plan: UpdatePlan;
  /** The text of a file; absent: fetched from the URL in the settings. */
  document?: string;
  onClose: () => void;
}>;

const MOST_SHOWN = 200;

/** Previews the changes of an update. */
const UpdateDrawer = ({ plan, document, onClose }: UpdateDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const apply = useMutation({
    mutationFn: () => applyUpdate(document === undefined ? {} : { document }),
    onSuccess: (applied) => {
      void client.invalidateQueries(catalog);
      void client.invalidateQueries({ queryKey: ["pricing"] });
      notifyDone(t("catalog.update.done", { count: applied.changes.length }));
      onClose();
    },
    onError: notifyError,
  });
  const { changes, prices } = plan;
  const taken = prices.filter(({ applies }) => applies);
  const isNothing = changes.length === 0 && taken.length === 0;
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
            disabled={isNothing}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            {t("catalog.update.apply")}
          </Button>
        </>
      )}
    >
      {isNothing && prices.length === 0 && <Box role="status">{t("catalog.update.nothing")}</Box>}
      {changes.length > 0 && (
        <Section title={t("catalog.update.facts", { count: changes.length })}>
          {changes.slice(0, MOST_SHOWN).map(({ model, kind, fields }) => (
            <Col key={model} gap={1}>
              <Row gap={2}>
                <Box sx={{ fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{model}</Box>
                <Tag tone={kind === "removed" ? "bad" : "ok"}>{t(`catalog.update.kinds.${kind}`)}</Tag>
              </Row>
              {fields.map(({ field, before, after }) => (
                <Difference key={field} name={field} before={before} after={after} />
              ))}
            </Col>
          ))}
          {changes.length > MOST_SHOWN && <Box>{t("catalog.update.more", { count: changes.length - MOST_SHOWN })}</Box>}
        </Section>
      )}
      {prices.length > 0 && (
        <Section title={t("catalog.update.prices", { count: prices.length })} hint={t("catalog.update.pricesHint")}>
          {prices.slice(0, MOST_SHOWN).map(({ model, before, after, applies }) => (
            <Col key={model} gap={1}>
              <Row gap={2}>
                <Box sx={{ fontSize: 13, fontWeight: 560, overflowWrap: "anywhere" }}>{model}</Box>
                {!applies && <Tag tone="warn">{t("catalog.update.kept")}</Tag>}
              </Row>
              <Difference name="price" before={amountsOf(before)} after={amountsOf(after)} />
            </Col>
          ))}
          {prices.length > MOST_SHOWN && <Box>{t("catalog.update.more", { count: prices.length - MOST_SHOWN })}</Box>}
        </Section>
      )}
    </SideDrawer>
  );
};

/** A price without its source. */
const amountsOf = (price: UpdatePlan["prices"][number]["before"]) => {
  if (!price) return null;
  const { source: _, ...amounts } = price;
  return amounts;
};

const Difference = ({ name, before, after }: { name: string; before: unknown; after: unknown }) => (
  <Box className="mono" sx={{ fontSize: 12, overflowWrap: "anywhere", color: "text.secondary" }}>
    {name}: <s>{JSON.stringify(before)}</s> → {JSON.stringify(after)}
  </Box>
);
