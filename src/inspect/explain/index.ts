/** preseal/explain: call trees as text, as a page and as JSON; and artifacts of a folder. */

export type { Artifact, Artifacts, BuildInfo } from './artifacts.ts'
export { ArtifactsFolderError } from './errors.ts'
export { type ExplanationHtmlOptions, explanationToHtml } from './html.ts'
export { explanationToJson } from './json.ts'
export { loadArtifacts } from './loadArtifacts.ts'
export type { Amount, ExplainCall, ExplainOptions } from './request.ts'
export { type ExplanationTextOptions, explanationToText } from './text.ts'
export type {
  Argument,
  ArgumentValue,
  Decoded,
  ExplainedEvent,
  ExplainedFrame,
  ExplainedItem,
  ExplainedStage,
  ExplainedWrite,
  Explanation,
  FrameResult,
} from './tree.ts'
