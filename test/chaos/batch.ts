/** Batches of rounds of chaos, each with its configuration and its seed. */
import fc from 'fast-check'
import { createManualClock } from '../../src/index.ts'
import { ALL_CONFIGURATIONS, type Configuration } from '../allConfigurations.ts'
import { type TestChain, watchChain } from '../harness.ts'
import type { ValidParams } from '../rpc/randomRequests.ts'
import { buildScene } from '../rpc/scene.ts'
import { validParams } from '../rpc/validParams.ts'
import type { Connect } from './clients.ts'
import { PLACES, type Place } from './failures.ts'
import { BrokenLawError } from './model.ts'
import { type Counts, type Medium, type Named, runRound } from './round.ts'
import { type Link, type Step, stepsOf } from './steps.ts'

/** What all batches of a run share. */
export interface Surroundings {
  readonly valid: ValidParams
  readonly named: Named
  readonly links: Readonly<Partial<Record<Link, Connect>>>
}

/** Rounds on one configuration and one medium. */
export interface Batch {
  readonly configuration: Configuration
  readonly medium: Medium
  readonly seed: number
  readonly rounds: number
  /** One round of how many is checked by stock @ethereumjs. */
  readonly checkEvery: number
}

/** The result of a batch. */
export interface BatchResult {
  readonly counts: Counts
  /** What went wrong, and the fewest steps that lead to it; undefined if nothing did. */
  readonly failure: { readonly message: string; readonly steps: readonly Step[] } | undefined
  /** Whether the time was over before its end. */
  readonly isInterrupted: boolean
}

/** The valid requests of a chain with contracts and transactions; their hashes are replaced in each round. */
export async function createSurroundings(links: Surroundings['links']): Promise<Surroundings> {
  const options = {
    mining: 'manual',
    clock: createManualClock(),
    finality: { safe: 1, finalized: 2 },
  } as const
  const { chain } = await watchChain(options)
  const scene = await buildScene(chain as TestChain)
  const valid = await validParams(scene)
  await chain.close()
  const { first, preconfBlock, waiting, token, probe } = scene
  const hashes = [...first.block.transactions, ...preconfBlock.block.transactions].map(({ hash }) => hash)
  const named = {
    blocks: [first.block.hash, preconfBlock.block.hash],
    transactions: [...hashes, waiting],
    contracts: [token, probe],
  }
  return { valid, named, links }
}

/** The batch with this number of a run: each has another configuration or medium than the one before. */
export function batchOf(number: number, media: readonly Medium[], configurations = ALL_CONFIGURATIONS) {
  return {
    configuration: configurations[number % configurations.length]!,
    medium: media[number % media.length]!,
  }
}

/** Runs a batch, up to its first failure. @param limits - of the search for the fewest steps */
export async function runBatch(
  { configuration, medium, seed, rounds, checkEvery }: Batch,
  { valid, named, links }: Surroundings,
  limits: Pick<fc.Parameters, 'interruptAfterTimeLimit'> = {},
): Promise<BatchResult> {
  const places: readonly Place[] = [...PLACES, ...medium.places]
  const total: Counts = { operations: 0, failures: 0, repeated: 0, compared: 0 }
  // Calls can name any amount of gas; the limit keeps them cheap.
  const options = { ...configuration.options, limits: { gasCap: 200_000n } }
  let round = 0
  let isBroken = false
  const ways = Object.keys(links) as Link[]
  const property = fc.asyncProperty(stepsOf(valid, places, ways, medium.isFork === true), async (steps) => {
    round += 1
    const isChecked = round % checkEvery === 0
    const counts = await runRound(steps, { options, medium, links, named, isChecked }).catch((error) => {
      isBroken = true
      throw error
    })
    // Rounds that look for the fewest steps repeat what was counted.
    if (isBroken) return
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
  })
  const result = await fc.check(property, { seed, numRuns: rounds, ...limits })
  const { errorInstance: error, counterexample, interrupted: isInterrupted } = result
  // If the time is over before the end of the first round, there is no counterexample.
  if (!result.failed || counterexample === null) return { counts: total, failure: undefined, isInterrupted }
  const message = error instanceof BrokenLawError ? error.message : String((error as Error)?.stack ?? error)
  return { counts: total, failure: { message, steps: counterexample[0] }, isInterrupted }
}
