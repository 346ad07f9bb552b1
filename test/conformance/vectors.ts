/**
 * Test vectors in the format of ethereum/execution-apis: a chain, and requests with the responses recorded on it.
 *
 * Answers are compared as in ethereum/hive (simulator `ethereum/rpc-compat`).
 */
import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import { PresealRpcError } from '../../src/base/errors.ts'
import type { GethGenesis, Hash, Provider } from '../../src/index.ts'
import { type Folder, readJson, readText } from './folder.ts'

/** A JSON-RPC request, without its envelope. */
export interface VectorRequest {
  readonly method: string
  readonly params?: unknown
}

/** A JSON-RPC response, without its envelope. */
export type Answer = { readonly result: unknown } | { readonly error: AnswerError }

interface AnswerError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** One file: requests to be made in order, and their responses. */
export interface Vector {
  /** Such as `eth_call/call-contract`. */
  readonly name: string
  readonly method: string
  /** Whether a result only has to match its method's schema. */
  readonly specOnly: boolean
  readonly exchanges: readonly { readonly request: VectorRequest; readonly expected: Answer }[]
}

/** A difference between an answer and the expected one. */
export interface Difference {
  /** Such as `result[0].calls[1].status`. */
  readonly path: string
  /** Undefined if there should be no value. */
  readonly expected: unknown
  /** Undefined if there is no value. */
  readonly got: unknown
}

/** A folder of vectors. */
export class VectorFolder {
  /** In lexical order, as they run one after the other on one chain. */
  readonly vectors: readonly Vector[]
  /** The chain that the vectors were recorded on, as options. */
  readonly chain: { readonly genesis: GethGenesis; readonly blocks: Uint8Array }
  /** Hash of the block that is head, safe and finalized. */
  readonly head: Hash
  readonly #schemas: Ajv2019

  private constructor(vectors: readonly Vector[], chain: VectorFolder['chain'], head: Hash, schemas: object) {
    this.vectors = vectors
    this.chain = chain
    this.head = head
    // Not strict: the file is not a schema but a map of schemas.
    this.#schemas = new Ajv2019({ strict: false }).addSchema(schemas, 'results')
  }

  /** Reads a whole folder. */
  static async open(folder: Folder): Promise<VectorFolder> {
    const names = (await folder.list()).filter((file) => file.endsWith('.io'))
    const vectors = names.map(async (file) =>
      parseVector(file.slice(0, -'.io'.length), await readText(folder, file)),
    )
    const { params } = await readJson<{ params: [{ headBlockHash: Hash }] }>(folder, 'headfcu.json')
    const chain = {
      genesis: await readJson<GethGenesis>(folder, 'genesis.json'),
      blocks: await folder.read('chain.rlp'),
    }
    const schemas = await readJson<object>(folder, 'result-schemas.json')
    return new VectorFolder(await Promise.all(vectors), chain, params[0].headBlockHash, schemas)
  }

  /** Makes a vector's requests. @returns the differences of all of them. */
  async run({ specOnly, exchanges }: Vector, provider: Provider): Promise<Difference[]> {
    const differences: Difference[] = []
    for (const { request, expected } of exchanges) {
      const answer = await ask(provider, request)
      if (specOnly && 'result' in answer) differences.push(...this.validate(request.method, answer.result))
      else differences.push(...compare(expected, answer, ''))
    }
    return differences
  }

  /** The violations of the method's schema by a result. */
  validate(method: string, result: unknown): Difference[] {
    const validate: ValidateFunction | undefined = this.#schemas.getSchema(`results#/${method}`)
    if (validate === undefined) throw new Error(`no schema for ${method}`)
    if (validate(result)) return []
    return validate.errors!.map(({ instancePath, message }) => ({
      path: `result${instancePath}`,
      expected: message,
      got: result,
    }))
  }
}

/** Reads a vector: comments in lines that begin with `//`, requests with `>>`, responses with `<<`. */
export function parseVector(name: string, text: string): Vector {
  const lines = text.split('\n').map((line) => line.trim())
  const jsonAfter = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => JSON.parse(line.slice(mark.length)))
  const requests: readonly VectorRequest[] = jsonAfter('>>')
  const responses: readonly Answer[] = jsonAfter('<<')
  if (requests.length === 0 || requests.length !== responses.length) {
    throw new Error(`${name}: ${requests.length} requests with ${responses.length} responses`)
  }
  return {
    name,
    method: requests[0]!.method,
    specOnly: lines.some((line) => /^\/\/\s*speconly:/.test(line)),
    exchanges: requests.map(({ method, params }, i) => ({
      request: params === undefined ? { method } : { method, params },
      expected: withoutEnvelope(responses[i]!),
    })),
  }
}

/** The answer to a request, as parsed from JSON. */
export async function ask(provider: Provider, request: VectorRequest): Promise<Answer> {
  try {
    return { result: JSON.parse(JSON.stringify(await provider.request(request))) }
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    const { code, message, data } = error
    return { error: { code, message, ...(data !== undefined && { data: JSON.parse(JSON.stringify(data)) }) } }
  }
}

/**
 * The differences between `got` and `expected`: keys, values, the order of arrays. The message of a value under
 * `error`, at any depth, may differ.
 */
export function compare(expected: unknown, got: unknown, path: string): Difference[] {
  if (Array.isArray(expected) && Array.isArray(got)) {
    const items = Array.from({ length: Math.max(expected.length, got.length) }, (_, i) => i)
    return items.flatMap((i) => compare(expected[i], got[i], `${path}[${i}]`))
  }
  if (isObject(expected) && isObject(got)) {
    const isError = /(^|\.)error$/.test(path)
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
    return keys
      .filter((key) => !(isError && key === 'message'))
      .flatMap((key) => compare(expected[key], got[key], path === '' ? key : `${path}.${key}`))
  }
  return expected === got ? [] : [{ path, expected, got }]
}

function withoutEnvelope(response: Answer): Answer {
  return 'error' in response ? { error: response.error } : { result: response.result }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
