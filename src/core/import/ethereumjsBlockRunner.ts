/**
 * Executes whole blocks with the `runBlock` of @ethereumjs, on the chain's state: a second implementation to compare
 * `executeBlock.ts` with.
 *
 * Owns: one VM per hardfork and chain id. Loaded by `import()`, only to verify an import.
 */

import { Block as EthereumjsBlock } from '@ethereumjs/block'
import { createEVM, type EVM, EVMError, paramsEVM } from '@ethereumjs/evm'
import { OriginalStorageCache } from '@ethereumjs/statemanager'
import { createWithdrawal } from '@ethereumjs/util'
import { createVM, paramsVM, type RunBlockResult, runBlock, type VM } from '@ethereumjs/vm'
import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { PresealError } from '../../base/errors.ts'
import { Missing, type Pause } from '../../base/waiting.ts'
import type { Receipt, StoredBlock } from '../../ethereum/block.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { addParameters, commonOf, toMissing } from '../../ethereum/evm/ethereumjs/common.ts'
import { BlockHashes, toLog } from '../../ethereum/evm/ethereumjs/engine.ts'
import { errorName } from '../../ethereum/evm/ethereumjs/reporter.ts'
import { StateAdapter } from '../../ethereum/evm/ethereumjs/stateAdapter.ts'
import { SYSTEM_ADDRESS } from '../../ethereum/evm/transition.ts'
import type { Header } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { readCode, type StateReader } from '../../ethereum/state/account.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../ethereum/state/stateTrie.ts'
import { hashesUpTo } from '../block/attributes.ts'
import type { PayloadParent } from '../block/payload.ts'
import { checkRequestCall, REQUEST_CONTRACTS } from '../block/systemCalls.ts'
import { toBlockError, VerificationError } from './errors.ts'
import { toEthereumjsHeader } from './ethereumjsHeader.ts'
import { parseTransaction } from './ethereumjsTransaction.ts'

interface Instance {
  readonly vm: VM
  readonly state: BlockState
  readonly blockchain: BlockHashes
  done: number
}

/** See the file's header. */
export class EthereumjsBlockRunner {
  readonly #crypto: Crypto
  readonly #revertReason: boolean
  readonly #pause: Pause
  readonly #instances = new Map<Rules, Promise<Instance>>()

  /** @param revertReason - see `PayloadConfig`. @param pause - called after each transaction. */
  constructor(crypto: Crypto, revertReason: boolean, pause: Pause) {
    this.#crypto = crypto
    this.#revertReason = revertReason
    this.#pause = pause
  }

  /**
   * Executes a block, and compares the outcome with the chain's. Calls must not overlap.
   *
   * @param rulesOf - returns the rules of an uncle.
   * @param own - the receipts, or the reason why the block is invalid.
   * @throws VerificationError if the outcomes differ
   */
  async verify(
    stored: StoredBlock,
    rules: Rules,
    parent: PayloadParent,
    rulesOf: (header: Header) => Rules,
    own: readonly Receipt[] | InvalidBlockError,
  ): Promise<void> {
    const { number } = stored.header
    const other = await this.#run(stored, rules, parent, rulesOf).catch((error) => {
      if (error instanceof InvalidBlockError) return error
      throw error
    })
    if (own instanceof InvalidBlockError) {
      if (other instanceof InvalidBlockError) return
      const difference = `it is invalid (${own.message}), for @ethereumjs it is valid`
      throw new VerificationError(number, difference, { cause: own })
    }
    if (other instanceof InvalidBlockError) {
      const difference = `it is valid, for @ethereumjs it is invalid (${other.message})`
      throw new VerificationError(number, difference, { cause: other })
    }
    // The roots equal the header's on both sides, or the block would be invalid.
    const difference = findDifference(own, other)
    if (difference !== undefined) throw new VerificationError(number, difference)
  }

  /** Executes a block, and compares the result with its header. @throws InvalidBlockError like `executeBlock` */
  async #run(
    stored: StoredBlock,
    rules: Rules,
    parent: PayloadParent,
    rulesOf: (header: Header) => Rules,
  ): Promise<readonly Receipt[]> {
    const instance = await getOrInsert(this.#instances, rules, () => this.#open(rules))
    const block = toEthereumjsBlock(stored, rules, rulesOf, this.#crypto)
    for (;;) {
      const overlay = new Overlay(parent.state)
      instance.state.begin(overlay, parent.stateTrie)
      instance.blockchain.blockHash = hashesUpTo(parent)
      instance.done = 0
      instance.vm.evm.journal.cleanJournal()
      const evm = instance.vm.evm as EVM
      evm.transientStorage.clear()
      try {
        const result = await runBlock(instance.vm, { block, skipHeaderValidation: true })
        if (rules.fork.prague) checkRequestContracts(overlay)
        return toReceipts(result, this.#revertReason)
      } catch (error) {
        if (error instanceof PresealError) throw error
        const missing = toMissing(error, commonOf(rules, this.#crypto))
        if (!(missing instanceof Missing)) throw toInvalidBlock(error as Error, instance.done, stored)
        await missing.load()
      } finally {
        instance.state.release()
      }
    }
  }

  async #open(rules: Rules): Promise<Instance> {
    const common = commonOf(rules, this.#crypto)
    for (const params of [paramsEVM, paramsVM]) addParameters(common, params)
    const state = new BlockState(this.#crypto)
    const blockchain = new BlockHashes()
    const evm = await createEVM({ common, stateManager: state, blockchain })
    checkRequestCalls(evm)
    const vm = await createVM({ common, stateManager: state, blockchain: blockchain as never, evm })
    const instance: Instance = { vm, state, blockchain, done: 0 }
    vm.events.on('afterTx', (_result, resume) => {
      instance.done += 1
      void Promise.resolve(this.#pause()).then(resume)
    })
    return instance
  }
}

/** Checks that the request contracts have code, which `runBlock` does not. @throws InvalidBlockError */
function checkRequestContracts(state: StateReader): void {
  for (const contract of REQUEST_CONTRACTS) {
    if (readCode(state, contract.address).length === 0) checkRequestCall(contract)
  }
}

/** Makes `runCall` throw an InvalidBlockError if a request contract fails, which `runBlock` accepts. */
function checkRequestCalls(evm: EVM): void {
  const runCall = evm.runCall.bind(evm)
  evm.runCall = async (options) => {
    const result = await runCall(options)
    const { exceptionError, returnValue } = result.execResult
    if (exceptionError !== undefined && options.caller?.toString() === SYSTEM_ADDRESS) {
      const address = options.to!.toString()
      const contract = REQUEST_CONTRACTS.find((one) => one.address === address)!
      checkRequestCall(contract, { output: returnValue, error: errorName(exceptionError) })
    }
    return result
  }
}

/** The state during a block. Computes roots, and each transaction starts from the state that its predecessor left. */
class BlockState extends StateAdapter {
  readonly #crypto: Crypto
  #overlay: Overlay | undefined
  #stateTrie: StateTrie = null

  override readonly originalStorageCache = new OriginalStorageCache((...of) => this.getStorage(...of))

  constructor(crypto: Crypto) {
    super(crypto)
    this.#crypto = crypto
  }

  /** Switches to `overlay`, whose base has this trie. */
  begin(overlay: Overlay, stateTrie: StateTrie): void {
    this.use(overlay)
    this.originalStorageCache.clear()
    this.#overlay = overlay
    this.#stateTrie = stateTrie
  }

  override release(): void {
    super.release()
    this.originalStorageCache.clear()
    this.#overlay = undefined
    this.#stateTrie = null
  }

  /** Called only between transactions, so the trie never contains reverted changes. */
  override async getStateRoot(): Promise<Uint8Array> {
    this.#stateTrie = updateStateTrie(this.#stateTrie, this.#overlay!.changes(), this.#crypto)
    return stateRoot(this.#stateTrie, this.#crypto)
  }
}

function toEthereumjsBlock(
  { header, transactions, uncles, withdrawals }: StoredBlock,
  rules: Rules,
  rulesOf: (header: Header) => Rules,
  crypto: Crypto,
): EthereumjsBlock {
  const typed = transactions.map((raw, index) => {
    try {
      return parseTransaction(raw, rules, crypto)
    } catch (error) {
      throw toBlockError(error, index)
    }
  })
  try {
    return new EthereumjsBlock(
      toEthereumjsHeader(header, rules, crypto),
      typed,
      uncles.map((uncle) => toEthereumjsHeader(uncle, rulesOf(uncle), crypto)),
      withdrawals?.map(({ address, ...rest }) => createWithdrawal({ ...rest, address: hexToBytes(address) })),
      { common: commonOf(rules, crypto) },
    )
  } catch (error) {
    throw new InvalidBlockError((error as Error).message, { cause: error })
  }
}

function toReceipts({ receipts, results }: RunBlockResult, revertReason: boolean): Receipt[] {
  let firstLogIndex = 0
  return results.map(({ totalGasSpent, amountSpent, createdAddress, execResult }, i) => {
    const encoded = receipts[i]!
    const logs = (execResult.logs ?? []).map(toLog)
    const { exceptionError, returnValue } = execResult
    const reverted = exceptionError?.error === EVMError.errorMessages.REVERT
    firstLogIndex += logs.length
    return {
      succeeded: exceptionError === undefined,
      ...('stateRoot' in encoded && { stateRoot: bytesToHex(encoded.stateRoot) }),
      gasUsed: totalGasSpent,
      cumulativeGasUsed: encoded.cumulativeBlockGasUsed,
      effectiveGasPrice: amountSpent / totalGasSpent,
      contractAddress: createdAddress === undefined ? null : bytesToHex(createdAddress.bytes),
      logs,
      firstLogIndex: firstLogIndex - logs.length,
      ...(revertReason && reverted && { revertReason: bytesToHex(returnValue) }),
    }
  })
}

/** Messages of `runBlock` for a result that differs from the header, with the field of the header. */
const HEADER_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^invalid requestsHash/, 'requestsHash'],
  [/^invalid receiptTrie/, 'receiptsRoot'],
  [/^invalid bloom/, 'logsBloom'],
  [/^invalid gasUsed/, 'gasUsed'],
  [/^invalid block stateRoot/, 'stateRoot'],
]

/** Converts an error of `runBlock` by its message: @ethereumjs' errors have no codes. */
function toInvalidBlock(error: Error, done: number, { transactions }: StoredBlock): InvalidBlockError {
  const options = { cause: error }
  const [, index, errors] = /errors at tx (\d+): (.*)/.exec(error.message) ?? []
  const [reason = ''] = (errors ?? error.message).split(' (vm hf=')
  if (index !== undefined || done < transactions.length) {
    return new InvalidBlockError(`transaction ${index ?? done}: ${reason}`, options)
  }
  const field = HEADER_ERRORS.find(([pattern]) => pattern.test(error.message))?.[1]
  const problem = field === undefined ? reason : `its ${field} does not match its execution`
  return new InvalidBlockError(problem, options)
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
  // An absent revert reason counts as empty, since @ethereumjs reports some failures of precompiles as reverts.
  return field === 'revertReason' ? revertReason : String(rest[field])
}
