/** Compares the execution of a block with that by a second implementation. */

import type { Receipt } from '../../ethereum/block.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import type { BlockRun } from './blockRunner.ts'
import { VerificationError } from './errors.ts'

/** The verification of one block by @ethereumjs. */
export class Verification {
  readonly #blockNumber: bigint
  readonly #execute: () => Promise<BlockRun>

  /** @param execute - executes the block by @ethereumjs; rejects with an InvalidBlockError if it is invalid. */
  constructor(blockNumber: bigint, execute: () => Promise<BlockRun>) {
    this.#blockNumber = blockNumber
    this.#execute = execute
  }

  /** Checks that a block that was found invalid is invalid for @ethereumjs too. @throws VerificationError */
  async confirm(error: InvalidBlockError): Promise<void> {
    if ((await this.#outcome()) instanceof InvalidBlockError) return
    throw new VerificationError(
      this.#blockNumber,
      `it is invalid (${error.message}), for @ethereumjs it is valid`,
      { cause: error },
    )
  }

  /** Checks that @ethereumjs gives a valid block the same receipts and roots. @throws VerificationError */
  async compare({ receipts }: BlockRun): Promise<void> {
    const other = await this.#outcome()
    if (other instanceof InvalidBlockError) {
      throw new VerificationError(
        this.#blockNumber,
        `it is valid, for @ethereumjs it is invalid (${other.message})`,
        { cause: other },
      )
    }
    // The roots are those of the header on both sides, or the block would be invalid.
    const difference = findDifference(receipts, other.receipts)
    if (difference !== undefined) throw new VerificationError(this.#blockNumber, difference)
  }

  async #outcome(): Promise<BlockRun | InvalidBlockError> {
    try {
      return await this.#execute()
    } catch (error) {
      if (error instanceof InvalidBlockError) return error
      throw error
    }
  }
}

const RECEIPT_FIELDS = [
  'succeeded',
  'stateRoot',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'contractAddress',
  'logs',
  'firstLogIndex',
  'revertReason',
] as const satisfies readonly (keyof Receipt)[]

/** The first difference between the receipts of one block, which are as many. */
function findDifference(own: readonly Receipt[], others: readonly Receipt[]): string | undefined {
  for (const [index, receipt] of own.entries()) {
    for (const field of RECEIPT_FIELDS) {
      const [value, other] = [toText(receipt, field), toText(others[index]!, field)]
      if (value !== other) return `the ${field} of receipt ${index} is ${value}, for @ethereumjs ${other}`
    }
  }
  return undefined
}

function toText({ logs, revertReason = '0x', ...rest }: Receipt, field: keyof Receipt): string {
  if (field === 'logs')
    return JSON.stringify(logs.map(({ address, topics, data }) => ({ address, topics, data })))
  // Equal without data, since @ethereumjs calls some failures of precompiles a revert.
  return field === 'revertReason' ? revertReason : String(rest[field])
}
