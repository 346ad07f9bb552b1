/** preseal/explain: call trees as text, HTML and JSON, and the artifacts of a folder. */

export type { Artifact, Artifacts, BuildInfo } from './artifacts.ts'
export { ArtifactsFolderError } from './errors.ts'
export { type ExplanationHtmlOptions, explanationToHtml } from './html.ts'
export { loadArtifacts } from './loadArtifacts.ts'
export { type ExplanationTextOptions, explanationToJson, explanationToText } from './text.ts'
export type {
  Amount,
  Argument,
  ArgumentValue,
  Decoded,
  ExplainCall,
  ExplainedEvent,
  ExplainedFrame,
  ExplainedItem,
  ExplainedStage,
  ExplainedWrite,
  ExplainOptions,
  Explanation,
  FrameResult,
} from './tree.ts'
