/** The rules of a hardfork as a `Common` of @ethereumjs. Owns: one `Common` per rules and cryptography. */
import { paramsBlock } from '@ethereumjs/block'
import {
  type ChainConfig,
  Common,
  type CommonEvent,
  type CommonOpts,
  type CustomCrypto,
  Hardfork,
  type ParamsDict,
} from '@ethereumjs/common'
import { paramsTx } from '@ethereumjs/tx'
import { calculateSigRecovery, type KZG } from '@ethereumjs/util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { EventEmitter } from 'eventemitter3'
import { concatBytes } from '../../../base/bytes.ts'
import { getOrInsert } from '../../../base/collections.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../base/errors.ts'
import { Missing } from '../../../base/waiting.ts'
import type { ForkSchedule, Rules } from '../../rules.ts'
import { GAS_PER_BLOB } from '../../transaction.ts'

const commons = new WeakMap<Crypto, WeakMap<Rules, Common>>()

/** The rules for @ethereumjs; shared, so never alter them. @throws InvalidOptionError if @ethereumjs lacks a fork. */
export function commonOf(rules: Rules, crypto: Crypto): Common {
  const byRules = getOrInsert(commons, crypto, () => new WeakMap())
  return getOrInsert(byRules, rules, () => createCommon(rules, crypto))
}

function createCommon(rules: Rules, crypto: Crypto): Common {
  const { chainId, hardfork, schedule, allowUnlimitedContractSize, transactionGasCap } = rules
  const options: CommonOpts = {
    chain: toChainConfig(schedule, chainId),
    params: toParams(schedule),
    hardfork,
    customCrypto: toCustomCrypto(crypto),
  }
  const lifted = new Map<string, bigint>()
  if (allowUnlimitedContractSize) lifted.set('maxCodeSize', MAX_SIZE).set('maxInitCodeSize', MAX_SIZE)
  if (!transactionGasCap) lifted.set('maxTransactionGasLimit', 2n ** 64n - 1n)
  return new SharedCommon(options, lifted)
}

/** In bytes: more than any code has. */
const MAX_SIZE = 2n ** 53n - 1n

/** Adds the parameter table of a lazily loaded part of @ethereumjs; repeated calls have no effect. */
export function addParameters(common: Common, params: ParamsTable): void {
  if (common instanceof SharedCommon) common.add(params)
}

/**
 * Converts the error of a missing KZG library, which the point evaluation precompile loads when first called, to a
 * {@link Missing}; returns any unrelated error as it is.
 */
export function toMissing(error: unknown, common: Common): unknown {
  if (!(error instanceof Error) || error.message !== 'kzg not initialized') return error
  return new Missing(async () => {
    const { verifyProof } = await import('../../kzg.ts')
    common.customCrypto.kzg = { verifyProof } as KZG
  })
}

/** Our cryptography for @ethereumjs. `ecrecover` accepts s in either half of the order, as the precompile must. */
export function toCustomCrypto({ keccak256, raw }: Crypto): CustomCrypto {
  return {
    keccak256,
    ecrecover: (hash, v, r, s, chainId) =>
      raw.recover(hash, padTo32(r), padTo32(s), Number(calculateSigRecovery(v, chainId))),
    ecsign(hash, privateKey, options) {
      const { prehash, format, lowS, extraEntropy } = options ?? {}
      const usual = prehash === false && format === 'recovered' && lowS !== false
      // Ignores @ethereumjs' default, `true`: it makes signatures random, and equal inputs must give equal hashes.
      if (usual && typeof extraEntropy !== 'object') return raw.sign(hash, privateKey)
      return secp256k1.sign(hash, privateKey, options)
    },
    ecdsaRecover: (signature, recovery, hash) => {
      const key = raw.recover(hash, signature.subarray(0, 32), signature.subarray(32), recovery)
      return concatBytes(Uint8Array.of(4), key)
    },
  }
}

/** Restores leading zeros. Integers above 32 bytes stay as they are, to be refused for their length. */
function padTo32(bytes: Uint8Array): Uint8Array {
  return bytes.length >= 32 ? bytes : concatBytes(new Uint8Array(32 - bytes.length), bytes)
}

function toChainConfig({ forks, depositContract }: ForkSchedule, chainId: bigint): ChainConfig {
  const unknown = forks.find(({ name }) => !KNOWN.has(name))
  if (unknown !== undefined) {
    throw new InvalidOptionError('hardfork', `one that @ethereumjs has, which ${unknown.name} is not`)
  }
  return {
    name: 'preseal',
    chainId: Number(chainId),
    genesis: { gasLimit: 0, difficulty: 0, nonce: '0x', extraData: '0x' },
    hardforks: [
      { name: 'chainstart', block: 0 },
      ...forks.map(({ name, timed, at = null }) =>
        timed ? { name, block: null, timestamp: at! } : { name, block: at },
      ),
    ],
    // Without EIPs: @ethereumjs has mainnet's parameters for some of these forks, which would override the genesis's.
    customHardforks: Object.fromEntries(
      forks.filter(({ timed, minor }) => timed && minor).map(({ name }) => [name, { eips: [] }]),
    ),
    bootstrapNodes: [],
    consensus: { type: 'pow', algorithm: 'ethash', ethash: {} },
    depositContractAddress: depositContract,
  }
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(Hardfork))

/** The parameters that hardforks set besides their EIPs. */
function toParams({ blobs }: ForkSchedule): ParamsDict {
  const params = [...blobs].map(([name, { target, max, updateFraction }]) => [
    name,
    {
      // From bpo1 on @ethereumjs reads numbers of blobs; for earlier forks it reads amounts of blob gas.
      target,
      max,
      targetBlobGasPerBlock: target * Number(GAS_PER_BLOB),
      maxBlobGasPerBlock: max * Number(GAS_PER_BLOB),
      blobGasPriceUpdateFraction: updateFraction,
    },
  ])
  return Object.fromEntries(params)
}

/** Keeps no listeners: each EVM listens for changes of the hardfork, and its listener would retain the EVM. */
class SilentEvents extends EventEmitter<CommonEvent> {
  override on(): this {
    return this
  }
}
const SILENT = new SilentEvents()

/** A Common that cannot be altered: `copy` returns the same object, and each parameter table is merged once. */
class SharedCommon extends Common {
  declare private fixed: ReadonlyMap<string, bigint>
  declare private merged: Set<ParamsTable> | undefined

  constructor(options: CommonOpts, fixed: ReadonlyMap<string, bigint>) {
    super(options)
    this.fixed = fixed
    this.events = SILENT
    this.merged = new Set()
    for (const params of [paramsTx, paramsBlock]) this.add(params)
  }

  add(params: ParamsTable): void {
    if (this.merged!.has(params)) return
    super.updateParams(params)
    this.merged!.add(params)
  }

  override copy(): this {
    return this
  }

  override updateParams(): void {}

  override setHardfork(hardfork: string): void {
    // The constructor of Common calls this.
    if (this.merged === undefined) super.setHardfork(hardfork)
    else if (hardfork !== this.hardfork()) throw new TypeError(`these are the rules of ${this.hardfork()}`)
  }

  override param(name: string): bigint {
    return this.fixed.get(name) ?? super.param(name)
  }
}

type ParamsTable = Parameters<Common['updateParams']>[0]
