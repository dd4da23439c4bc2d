import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TOKENS_KEY, type Token } from "../../../api/api-keys/api-key.ts";
import { CHANNELS_KEY } from "../../../api/channels/channel-lists.ts";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { CreatedDialog } from "../../api-keys/CreatedDialog.tsx";
import { createApiKeys } from "../../api-keys/drawer/api-key-calls.ts";
import { bodyOf, NEW_TOKEN } from "../../api-keys/drawer/api-key-form.ts";
import { testChannel } from "../../channels/channel-calls.ts";
import type { AddedChannel } from "../../channels/quick/add-channel.ts";
import { completionRatioOf, ratioOfPrice, readNumberMap } from "../../settings/model-prices/price-maps.ts";
import { options, putOption } from "../../settings/option-calls.ts";

type TestStepProps = Readonly<{
  channel: Readonly<{ id: number; name: string }>;
  /** The channel and its first test, if it was added just now. */
  last: AddedChannel | null;
  onTested: () => void;
}>;

/** Sends one short request through a channel. */
export const TestStep = ({ channel, last, onTested }: TestStepProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => testChannel(channel.id, last?.tested ?? ""),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      onTested();
    },
  });
  const outcome = test.data ?? last?.outcome;
  const failure = test.error?.message ?? (outcome?.success === false ? outcome.message : "");
  return (
    <Col gap={3} sx={{ alignItems: "flex-start" }}>
      {failure !== "" && (
        <Alert role="alert" severity="error" sx={{ alignSelf: "stretch", overflowWrap: "anywhere" }}>
          {failure}
        </Alert>
      )}
      <Row gap={2} wrap>
        <Button autoFocus variant="contained" color="primary" loading={test.isPending} onClick={() => test.mutate()}>
          {t(failure === "" ? "firstSteps.test.action" : "channels.test.again")}
        </Button>
        <Button component={Link} to={`/channel/edit/${channel.id}`} variant="text">
          {t("firstSteps.test.edit", { name: channel.name })}
        </Button>
      </Row>
    </Col>
  );
};

type PriceForm = Readonly<{ input: string; output: string }>;
const isPrice = (text: string): boolean => text.trim() !== "" && Number(text) >= 0;
const FEW_NAMES = 5;
/** The settings, at the models without a price. */
const SET_EACH = { field: "pricing", prices: "unset" };

/** Sets one price for all models that have none. */
export const PriceStep = ({ models, onSaved }: { models: readonly string[]; onSaved: () => void }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: { input: "", output: "" } satisfies PriceForm,
    check: ({ input, output }: PriceForm) => ({
      input: isPrice(input) ? undefined : ("number" as const),
      output: isPrice(output) ? undefined : ("number" as const),
    }),
    rejection: "inline",
    send: async ({ input, output }) => {
      const { values } = await client.fetchQuery(options);
      const set = (key: "ModelRatio" | "CompletionRatio", ratio: number) => {
        const map = readNumberMap(values[key] ?? "{}");
        if (!map) throw new Error(t("firstSteps.prices.invalid"));
        const value = JSON.stringify({ ...map, ...Object.fromEntries(models.map((model) => [model, ratio])) });
        return putOption({ key, value });
      };
      // The output price first: a model can be called as soon as it has a ratio.
      await set("CompletionRatio", completionRatioOf(Number(input), Number(output)));
      await set("ModelRatio", ratioOfPrice(Number(input)));
      await client.invalidateQueries({ queryKey: options.queryKey });
      onSaved();
    },
  });
  const errorOf = (field: keyof PriceForm) => faults[field] && t("firstSteps.prices.number");
  const shown = [...models.slice(0, FEW_NAMES), ...(models.length > FEW_NAMES ? ["…"] : [])];
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={4}>
        <span>
          {t("firstSteps.prices.missing", {
            count: models.length,
            names: shown.join(", "),
          })}
        </span>
        <Row gap={4} wrap sx={{ alignItems: "flex-start", "& > *": { minWidth: "160px" } }}>
          <LabelledInput
            label={t("firstSteps.prices.input")}
            autoFocus
            value={form.input}
            onChange={(input) => change({ input })}
            error={errorOf("input")}
            inputProps={{ inputMode: "decimal" }}
          />
          <LabelledInput
            label={t("firstSteps.prices.output")}
            value={form.output}
            onChange={(output) => change({ output })}
            error={errorOf("output")}
            inputProps={{ inputMode: "decimal" }}
          />
        </Row>
        {problem && (
          <Alert role="alert" severity="error">
            {problem}
          </Alert>
        )}
        <Row gap={2} wrap>
          <Button type="submit" variant="contained" color="primary" loading={isSaving}>
            {t("firstSteps.prices.action")}
          </Button>
          <Button variant="text" onClick={() => navigate({ to: "/setting", search: () => SET_EACH })}>
            {t("firstSteps.prices.each")}
          </Button>
        </Row>
      </Col>
    </form>
  );
};

/** Creates an API key that spends from the balance without a limit of its own. */
export const KeyStep = ({ onCreated }: { onCreated: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [name, setName] = useState(t("firstSteps.key.defaultName"));
  const [created, setCreated] = useState<readonly Token[]>([]);
  const create = useMutation({
    mutationFn: () => createApiKeys(bodyOf({ ...NEW_TOKEN, unlimited: true }, name.trim()), 1),
    onSuccess: (tokens) => {
      setCreated(tokens);
      void client.invalidateQueries({ queryKey: TOKENS_KEY });
    },
  });
  const close = () => {
    setCreated([]);
    onCreated();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Row gap={2} wrap sx={{ alignItems: "flex-end" }}>
        <LabelledInput
          label={t("apiKeys.form.name")}
          autoFocus
          value={name}
          onChange={setName}
          error={create.error?.message}
        />
        <Button
          type="submit"
          variant="contained"
          color="primary"
          loading={create.isPending}
          disabled={name.trim() === ""}
        >
          {t("apiKeys.add")}
        </Button>
      </Row>
      {created.length > 0 && <CreatedDialog tokens={created} onClose={close} />}
    </form>
  );
};
