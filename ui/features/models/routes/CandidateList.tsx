import Add from "@mui/icons-material/AddOutlined";
import Down from "@mui/icons-material/ArrowDownwardOutlined";
import Up from "@mui/icons-material/ArrowUpwardOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { enabledModels } from "../../../api/channels/channel-lists.ts";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { Col, Field, Panel, Row } from "../../../components/layout.tsx";
import { CandidateConditions } from "./CandidateConditions.tsx";
import { type CandidateForm, candidateError, newCandidate } from "./candidate-form.ts";
import { filledCandidates, MAX_CANDIDATES, moved } from "./route-form.ts";

type CandidateListProps = Readonly<{
  candidates: readonly CandidateForm[];
  /** Weights count. */
  isWeighted: boolean;
  showsErrors: boolean;
  onChange: (candidates: readonly CandidateForm[]) => void;
}>;

/** The models of a route in their order. */
export const CandidateList = ({ candidates, isWeighted, showsErrors, onChange }: CandidateListProps) => {
  const { t } = useTranslation();
  const filled = filledCandidates(candidates);
  return (
    <Col gap={3}>
      {candidates.map((candidate, at) => (
        <CandidateCard
          key={candidate.id}
          candidate={candidate}
          position={at + 1}
          isFirst={at === 0}
          isLast={at === candidates.length - 1}
          isWeighted={isWeighted}
          showsErrors={showsErrors && filled.includes(candidate)}
          onChange={(fields) => onChange(candidates.with(at, { ...candidate, ...fields }))}
          onMove={(by) => onChange(moved(candidates, at, at + by))}
          onRemove={() => onChange(candidates.toSpliced(at, 1))}
        />
      ))}
      <Box>
        <Button
          startIcon={<Add />}
          disabled={candidates.length >= MAX_CANDIDATES}
          onClick={() => onChange([...candidates, newCandidate()])}
        >
          {t("routes.form.addCandidate")}
        </Button>
      </Box>
    </Col>
  );
};

type CandidateCardProps = Readonly<{
  candidate: CandidateForm;
  position: number;
  isFirst: boolean;
  isLast: boolean;
  isWeighted: boolean;
  showsErrors: boolean;
  onChange: (fields: Partial<CandidateForm>) => void;
  /** −1: up; 1: down. */
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}>;

const CandidateCard = ({ candidate, position, isFirst, isLast, ...props }: CandidateCardProps) => {
  const { isWeighted, showsErrors, onChange, onMove, onRemove } = props;
  const { t } = useTranslation();
  const id = useId();
  const models = useQuery(enabledModels).data;
  const error = showsErrors ? candidateError(candidate) : null;
  const model = candidate.model.trim();
  const isUnserved = model !== "" && models !== undefined && !models.includes(model);
  const errorOf = (field: NonNullable<typeof error>) =>
    error === field ? t(`routes.form.errors.${field}`) : undefined;
  return (
    <Panel
      title={t("routes.form.candidate", { position })}
      action={
        <Row gap={0}>
          <IconButton aria-label={t("routes.form.moveUp", { position })} disabled={isFirst} onClick={() => onMove(-1)}>
            <Up fontSize="small" />
          </IconButton>
          <IconButton aria-label={t("routes.form.moveDown", { position })} disabled={isLast} onClick={() => onMove(1)}>
            <Down fontSize="small" />
          </IconButton>
          <IconButton
            aria-label={t("routes.form.remove", { position })}
            disabled={isFirst && isLast}
            onClick={onRemove}
          >
            <Delete fontSize="small" />
          </IconButton>
        </Row>
      }
    >
      <Col gap={3}>
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          <Field
            label={t("routes.form.model")}
            htmlFor={`${id}model`}
            error={errorOf("model")}
            hint={isUnserved && t("routes.form.unserved")}
          >
            <SuggestedInput
              id={`${id}model`}
              options={models ?? []}
              value={candidate.model}
              onChange={(model) => onChange({ model })}
              hasError={error === "model"}
            />
          </Field>
          {isWeighted && (
            <Field
              label={t("routes.form.weight")}
              htmlFor={`${id}weight`}
              error={errorOf("weight")}
              sx={{ flex: "0 0 112px" }}
            >
              <TextField
                id={`${id}weight`}
                size="small"
                value={candidate.weight}
                error={error === "weight"}
                onChange={(event) => onChange({ weight: event.target.value })}
                slotProps={{ htmlInput: { inputMode: "numeric" } }}
              />
            </Field>
          )}
        </Row>
        <CandidateConditions
          candidate={candidate}
          onChange={onChange}
          tokensError={errorOf("tokens")}
          hoursError={errorOf("hours")}
        />
      </Col>
    </Panel>
  );
};
