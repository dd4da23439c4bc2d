import {
  integer,
  MAX_CHOICES,
  outputTokens,
  type RequestRules,
  requestMembers,
  thinkingTokens,
} from "../../request-rules.ts";

/**
 * Rules for requests in Google's format: the members that `decodeRequest` and its readers use, at any depth, in two
 * spellings each.
 */
export const geminiRules: RequestRules = {
  members: requestMembers(
    `model models provider contents systemInstruction parts role text thought thoughtSignature functionCall functionResponse id name inlineData
    fileData mimeType data fileUri tools mcpServers streamableHttpTransport functionDeclarations description googleSearch googleSearchRetrieval codeExecution
    excludeDomains toolConfig functionCallingConfig mode allowedFunctionNames generationConfig maxOutputTokens temperature topP
    topK frequencyPenalty presencePenalty seed stopSequences candidateCount responseLogprobs logprobs responseMimeType
    responseModalities thinkingConfig thinkingLevel thinkingBudget includeThoughts serviceTier safetySettings cachedContent
    generateContentRequest user promptCacheKey function strict
    requests content taskType title outputDimensionality`,
    {
      free: "args response parameters parametersJsonSchema responseSchema responseJsonSchema",
      hasTwoSpellings: true,
    },
  ),
  numbers: [
    integer("generationConfig.candidateCount", 1, MAX_CHOICES),
    outputTokens("generationConfig.maxOutputTokens"),
    thinkingTokens("generationConfig.thinkingConfig.thinkingBudget"),
    integer("outputDimensionality", 1, 65_536),
    integer("requests[].outputDimensionality", 1, 65_536),
  ],
  switches: [],
};
