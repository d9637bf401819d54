/** Findings of the AI SDK itself, without a response or beside one. */
import type { Finding } from '../provider-failure.ts';
import { parseBody, readMessage, readText, type Extracted } from './extractor.ts';

const FINDINGS: Readonly<Record<string, Finding>> = {
  AI_LoadAPIKeyError: 'api_key_missing',
  AI_LoadSettingError: 'api_key_missing',
  AI_NoSuchModelError: 'model_unknown',
  AI_NoSuchProviderError: 'model_unknown',
  AI_NoSuchProviderReferenceError: 'model_unknown',
  AI_UnsupportedFunctionalityError: 'unsupported_feature',
  AI_UnsupportedModelVersionError: 'unsupported_feature',
  AI_EvaluationUnsupportedQuestionTypeError: 'unsupported_feature',
  AI_InvalidPromptError: 'invalid_prompt',
  AI_InvalidArgumentError: 'invalid_prompt',
  AI_InvalidMessageRoleError: 'invalid_prompt',
  AI_InvalidDataContentError: 'invalid_prompt',
  AI_MessageConversionError: 'invalid_prompt',
  AI_MissingToolResultsError: 'invalid_prompt',
  AI_DownloadError: 'invalid_prompt',
  AI_SerializationError: 'invalid_prompt',
  AI_TooManyEmbeddingValuesForCallError: 'invalid_prompt',
  AI_InvalidToolApprovalError: 'invalid_prompt',
  AI_InvalidToolApprovalSignatureError: 'invalid_prompt',
  AI_ToolCallNotFoundForApprovalError: 'invalid_prompt',
  AI_InvalidToolInputError: 'invalid_tool_arguments',
  AI_ToolCallRepairError: 'invalid_tool_arguments',
  AI_NoSuchToolError: 'no_such_tool',
  AI_NoOutputGeneratedError: 'stream_empty',
  AI_NoContentGeneratedError: 'no_output',
  AI_NoImageGeneratedError: 'no_output',
  AI_NoSpeechGeneratedError: 'no_output',
  AI_NoTranscriptGeneratedError: 'no_output',
  AI_NoTranslationGeneratedError: 'no_output',
  AI_NoVideoGeneratedError: 'no_output',
  AI_EmptyResponseBodyError: 'no_output',
  AI_NoObjectGeneratedError: 'output_unparsable',
  AI_JSONParseError: 'output_unparsable',
  AI_TypeValidationError: 'output_unparsable',
  AI_ToolChoiceViolationError: 'output_unparsable',
  AI_UIMessageStreamError: 'output_unparsable',
};

export function aiSdkFinding(link: unknown, name: string): Extracted | undefined {
  // an unknown error of a later version is still the SDK's, so it gets a name
  const finding = Object.hasOwn(FINDINGS, name) ? FINDINGS[name] : undefined;
  return {
    finding,
    type: name,
    message: readMessage(link),
    model: readText(link, 'modelId'),
    // the model's text, if that is the part that could not be read
    body: name === 'AI_JSONParseError' ? parseBody(readText(link, 'text')) : undefined,
  };
}
