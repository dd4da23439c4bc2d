import Expand from "@mui/icons-material/ExpandMoreOutlined";
import Button from "@mui/material/Button";
import Collapse from "@mui/material/Collapse";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { channelTags, groupNames } from "../../../api/channels/channel-lists.ts";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { type CandidateForm, CONTENT_CHOICES, CONTENTS, conditionsOfForm } from "./candidate-form.ts";

type CandidateConditionsProps = Readonly<{
  candidate: CandidateForm;
  onChange: (fields: Partial<CandidateForm>) => void;
  tokensError: ReactNode;
  hoursError: ReactNode;
}>;

const NO_NAMES: readonly string[] = [];

/** The calls that a candidate serves, folded away until opened. */
export const CandidateConditions = (props: CandidateConditionsProps) => {
  const { candidate, tokensError, hoursError } = props;
  const { t } = useTranslation();
  const id = useId();
  const count = conditionsOfForm(candidate);
  const [isOpen, setOpen] = useState(count > 0);
  const isShown = isOpen || Boolean(tokensError || hoursError);
  return (
    <div>
      <Button
        size="small"
        variant="text"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setOpen(!isShown)}
        endIcon={<Expand sx={{ transform: isShown ? "rotate(180deg)" : "none" }} />}
      >
        {count > 0 ? t("routes.conditions", { count }) : t("routes.form.noConditions")}
      </Button>
      <Collapse id={id} in={isShown} unmountOnExit>
        <ConditionFields {...props} />
      </Collapse>
    </div>
  );
};

const ConditionFields = ({ candidate, onChange, tokensError, hoursError }: CandidateConditionsProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(groupNames).data ?? NO_NAMES;
  const knownTags = useQuery(channelTags).data ?? NO_NAMES;
  const input = (field: "minTokens" | "maxTokens" | "from" | "to" | "zone", isFaulty: boolean, type = "text") => (
    <TextField
      id={`${id}${field}`}
      type={type}
      size="small"
      fullWidth
      value={candidate[field]}
      error={isFaulty}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  );
  const names = (field: "tags" | "groups" | "channelTags" | "regions", options: readonly string[]) => (
    <NameListInput
      id={`${id}${field}`}
      value={candidate[field]}
      options={options}
      placeholder={t(`routes.form.${field}Placeholder`)}
      onChange={(list) => onChange({ [field]: list })}
    />
  );
  return (
    <Col gap={3} sx={{ pt: 3 }}>
      <Row gap={3} sx={{ alignItems: "flex-start" }}>
        <Field
          label={t("routes.form.minTokens")}
          htmlFor={`${id}minTokens`}
          error={tokensError}
          hint={t("routes.form.tokensHint")}
        >
          {input("minTokens", Boolean(tokensError))}
        </Field>
        <Field label={t("routes.form.maxTokens")} htmlFor={`${id}maxTokens`}>
          {input("maxTokens", Boolean(tokensError))}
        </Field>
      </Row>
      <Row gap={3} wrap sx={{ alignItems: "flex-start" }}>
        {CONTENTS.map((content) => (
          <Field key={content} label={t(`routes.form.contents.${content}`)} sx={{ flex: "1 1 200px" }}>
            <Select
              fullWidth
              value={candidate.contents[content]}
              SelectDisplayProps={{ "aria-label": t(`routes.form.contents.${content}`) }}
              onChange={(event) => onChange({ contents: { ...candidate.contents, [content]: event.target.value } })}
            >
              {CONTENT_CHOICES.map((choice) => (
                <MenuItem key={choice} value={choice}>
                  {t(`routes.form.choices.${choice}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
        ))}
      </Row>
      <Field label={t("routes.form.groups")} htmlFor={`${id}groups`}>
        {names("groups", groups)}
      </Field>
      <Field label={t("routes.form.tags")} htmlFor={`${id}tags`} hint={t("routes.form.tagsHint")}>
        {names("tags", NO_NAMES)}
      </Field>
      <Field label={t("routes.form.channelTags")} htmlFor={`${id}channelTags`} hint={t("routes.form.channelTagsHint")}>
        {names("channelTags", knownTags)}
      </Field>
      <Field label={t("routes.form.regions")} htmlFor={`${id}regions`} hint={t("routes.form.regionsHint")}>
        {names("regions", NO_NAMES)}
      </Field>
      <Row gap={3} sx={{ alignItems: "flex-start" }}>
        <Field label={t("routes.form.from")} htmlFor={`${id}from`} error={hoursError}>
          {input("from", Boolean(hoursError), "time")}
        </Field>
        <Field label={t("routes.form.to")} htmlFor={`${id}to`}>
          {input("to", Boolean(hoursError), "time")}
        </Field>
        <Field label={t("routes.form.zone")} htmlFor={`${id}zone`} sx={{ flex: "1.5 1 0" }}>
          {input("zone", Boolean(hoursError))}
        </Field>
      </Row>
    </Col>
  );
};
