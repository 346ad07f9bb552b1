import type { CustomCrypto } from '@ethereumjs/common'
import { createTx } from '@ethereumjs/tx'
import { ecrecover, SECP256K1_ORDER } from '@ethereumjs/util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import * as fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  bigintToBytes,
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  hexToBytes,
} from '../../../src/base/bytes.ts'
import type { Crypto } from '../../../src/base/crypto/crypto.ts'
import { InvalidPrivateKeyError, InvalidSenderError } from '../../../src/base/crypto/errors.ts'
import { commonOf } from '../../../src/ethereum/evm/ethereumjs/common.ts'
import { createChainRules, hardforkConfig } from '../../../src/ethereum/rules.ts'
import { runs } from '../../full.ts'

/** The crypto in the form of @ethereumjs. */
function custom(crypto: Crypto): Required<CustomCrypto> {
  const genesis = { config: hardforkConfig(1, 'prague'), alloc: {}, gasLimit: '0x1c9c380' }
  return commonOf(createChainRules(genesis).at(0n, 0n), crypto).customCrypto as Required<CustomCrypto>
}

type Module = typeof import('../../../src/base/crypto/crypto.ts')

let modules = 0

/** A new instance of the module, with nothing loaded. Browsers cache modules by URL, so each has its own. */
function freshModule(): Promise<Module> {
  return import(/* @vite-ignore */ `../../../src/base/crypto/crypto.ts?fresh=${modules++}`)
}

/** An environment that refuses WebAssembly, as a content security policy without `wasm-unsafe-eval` does. */
function refuseWebAssembly() {
  const reason = new Error('refused to compile WebAssembly')
  const refuse = vi.fn(() => Promise.reject(reason))
  const refusing = { compile: refuse, instantiate: refuse }
  vi.stubGlobal('WebAssembly', Object.assign(Object.create(Reflect.get(globalThis, 'WebAssembly')), refusing))
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  return { reason, refuse, warn }
}

/** The secret number of a signature (RFC 6979), which gives away the key: (hash + r * key) / s. */
function nonceOf(hash: Uint8Array, key: Uint8Array, r: bigint, s: bigint): bigint {
  const { Fn } = secp256k1.Point
  return Fn.mul(Fn.add(Fn.create(bytesToBigint(hash)), Fn.mul(r, bytesToBigint(key))), Fn.inv(s))
}

/** Where bytes begin within others, or -1. */
function indexOf(all: Uint8Array, some: Uint8Array): number {
  const isAt = (from: number) => some.every((byte, i) => all[from + i] === byte)
  return all.findIndex((byte, from) => byte === some[0] && isAt(from))
}

describe('crypto', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  const privateKeys = fc.bigInt({ min: 1n, max: SECP256K1_ORDER - 1n }).map(bigintToBytes32)
  const scalars = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.constantFrom(
      0n,
      1n,
      SECP256K1_ORDER / 2n,
      SECP256K1_ORDER / 2n + 1n,
      SECP256K1_ORDER - 1n,
      SECP256K1_ORDER,
    ),
  )

  /** keccak256('') and keccak256('abc'). */
  const knownHashes = {
    '': '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    abc: '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  }

  const variants: { name: string; load: () => Promise<Crypto> }[] = [
    { name: 'WebAssembly', load: async () => (await freshModule()).loadCrypto() },
    {
      name: 'JavaScript, WebAssembly refused',
      load: async () => {
        refuseWebAssembly()
        return (await freshModule()).loadCrypto()
      },
    },
  ]

  describe.each(variants)('$name', ({ load }) => {
    let crypto: Crypto
    beforeAll(async () => {
      crypto = await load()
      vi.unstubAllGlobals()
    })

    test('keccak256 returns known hashes', () => {
      for (const [text, hash] of Object.entries(knownHashes)) {
        expect(crypto.keccak256Hex(new TextEncoder().encode(text))).toBe(hash)
      }
    })

    test('keccak256 of any bytes equals noble', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
          const hash = crypto.keccak256(bytes)
          expect(hash).toEqual(keccak_256(bytes))
          expect(crypto.keccak256Hex(bytes)).toBe(bytesToHex(hash))
          expect(custom(crypto).keccak256(bytes)).toEqual(hash)
        }),
      )
    })

    test('keccak256 of every length equals noble, whatever was hashed before', () => {
      const pattern = Uint8Array.from({ length: 120_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff)
      const short = Array.from({ length: 301 }, (_, length) => length)
      // Around the multiples of the bytes that WebAssembly takes at once.
      const long = [1, 2, 3].flatMap((n) => [-137, -136, -1, 0, 1, 135, 136].map((by) => n * 32_640 + by))
      for (const length of [...short, ...long, ...short.toReversed()]) {
        // Parts of a larger buffer, at any offset.
        const bytes = pattern.subarray(length % 17, (length % 17) + length)
        expect(bytesToHex(crypto.keccak256(bytes))).toBe(bytesToHex(keccak_256(bytes)))
      }
      expect(pattern.every((byte, i) => byte === ((i * 31 + (i >> 8)) & 0xff))).toBe(true)
    })

    test('a hash owns its buffer, which later hashes do not change', () => {
      const first = crypto.keccak256(Uint8Array.of(1))
      crypto.keccak256(Uint8Array.of(2))
      expect(new Uint8Array(first.buffer)).toEqual(keccak_256(Uint8Array.of(1)))
      expect(first.byteOffset).toBe(0)
    })

    test('signatures equal noble, and recover to the signer', () => {
      fc.assert(
        fc.property(hashes, privateKeys, (hash, privateKey) => {
          const expected = secp256k1.Signature.fromBytes(
            secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' }),
            'recovered',
          )
          const { r, s, yParity } = crypto.sign(hash, privateKey)
          expect({ r, s, yParity }).toEqual({ r: expected.r, s: expected.s, yParity: expected.recovery })
          const publicKey = secp256k1.getPublicKey(privateKey, false).slice(1)
          expect(crypto.publicKey(privateKey)).toEqual(publicKey)
          expect(crypto.recover(hash, r, s, yParity)).toEqual(publicKey)
          expect(crypto.addressOf(publicKey)).toBe(bytesToHex(keccak_256(publicKey).slice(12)))
        }),
        { numRuns: 25 },
      )
    })

    test('every operation gives the same as noble, whatever came before it', () => {
      const recovered = (hash: Uint8Array, r: bigint, s: bigint, yParity: number): unknown => {
        try {
          return new secp256k1.Signature(r, s, yParity).recoverPublicKey(hash).toBytes(false).slice(1)
        } catch {
          return InvalidSenderError
        }
      }
      const attempt = (run: () => unknown): unknown => {
        try {
          return run()
        } catch (error) {
          return (error as Error).constructor
        }
      }
      const keys = fc.oneof(
        privateKeys,
        fc.constantFrom(0n, 1n, SECP256K1_ORDER - 1n, SECP256K1_ORDER, 2n ** 256n - 1n).map(bigintToBytes32),
      )
      const operations = fc.oneof(
        fc.uint8Array({ maxLength: 150 }).map((bytes) => () => {
          expect(crypto.keccak256(bytes)).toEqual(keccak_256(bytes))
        }),
        fc.tuple(hashes, keys).map(([hash, key]) => () => {
          const isValid = secp256k1.utils.isValidSecretKey(key)
          const expected = isValid
            ? secp256k1.sign(hash, key, { prehash: false, format: 'recovered' })
            : InvalidPrivateKeyError
          expect(attempt(() => crypto.raw.sign(hash, key))).toEqual(expected)
        }),
        keys.map((key) => () => {
          const isValid = secp256k1.utils.isValidSecretKey(key)
          const expected = isValid ? secp256k1.getPublicKey(key, false).slice(1) : InvalidPrivateKeyError
          expect(attempt(() => crypto.publicKey(key))).toEqual(expected)
        }),
        fc
          .tuple(hashes, scalars, scalars, fc.integer({ min: 0, max: 1 }))
          .map(([hash, r, s, parity]) => () => {
            const [rBytes, sBytes] = [r, s].map(bigintToBytes32) as [Uint8Array, Uint8Array]
            expect(attempt(() => crypto.raw.recover(hash, rBytes, sBytes, parity))).toEqual(
              recovered(hash, r, s, parity),
            )
          }),
      )
      fc.assert(
        fc.property(fc.array(operations, { minLength: 8, maxLength: 8 }), (sequence) => {
          for (const operation of sequence) operation()
        }),
        runs(10, 500),
      )
    })

    test('recovery ids of r beyond the order are refused, where r + order is the x of a point', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const below = secp256k1.Point.Fp.ORDER - SECP256K1_ORDER
      const valid = Array.from({ length: 40 }, (_, i) => BigInt(i + 1)).find((r) => {
        try {
          return new secp256k1.Signature(r, 1n, 2).recoverPublicKey(hash) !== undefined
        } catch {
          return false
        }
      })!
      expect(valid < below).toBe(true)
      for (const id of [2, 3, -1, 4, 0.5, Number.NaN]) {
        const bytes = [bigintToBytes32(valid), bigintToBytes32(1n)] as const
        expect(() => crypto.raw.recover(hash, ...bytes, id)).toThrow(InvalidSenderError)
        expect(() => crypto.recover(hash, valid, 1n, id)).toThrow(InvalidSenderError)
      }
    })

    test('a public key owns its buffer, which later calls do not change', () => {
      const key = crypto.publicKey(bigintToBytes32(1n))
      crypto.publicKey(bigintToBytes32(2n))
      expect(new Uint8Array(key.buffer)).toEqual(secp256k1.Point.BASE.toBytes(false).slice(1))
    })

    test('the address of key 1 is the known one', () => {
      expect(crypto.addressOf(crypto.publicKey(bigintToBytes32(1n)))).toBe(
        '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
      )
    })

    test('signatures recover as in @ethereumjs, with s in either half', () => {
      const attempt = (recover: () => Uint8Array) => {
        try {
          return recover()
        } catch {
          return 'refused'
        }
      }
      fc.assert(
        fc.property(hashes, scalars, scalars, fc.constantFrom(0n, 1n, 27n, 28n), (hash, r, s, v) => {
          const args = [hash, v, bigintToBytes(r), bigintToBytes(s)] as const
          expect(attempt(() => custom(crypto).ecrecover(...args))).toEqual(attempt(() => ecrecover(...args)))
        }),
        { numRuns: 60 },
      )
    })

    test('recovery takes the parity from v of EIP-155', () => {
      const hash = keccak_256(Uint8Array.of(7))
      const key = bigintToBytes32(9n)
      const { r, s, yParity } = crypto.sign(hash, key)
      const v = BigInt(yParity) + 35n + 2n * 31337n
      expect(custom(crypto).ecrecover(hash, v, bigintToBytes(r), bigintToBytes(s), 31337n)).toEqual(
        crypto.publicKey(key),
      )
      expect(() => custom(crypto).ecrecover(hash, v, bigintToBytes(r), bigintToBytes(s), 1n)).toThrow(
        'invalid sender',
      )
    })

    test('signatures that are out of range, malleated or of no key are refused', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const { r, s, yParity } = crypto.sign(hash, bigintToBytes32(5n))
      const bad: [bigint, bigint, number][] = [
        [0n, s, yParity],
        [r, 0n, yParity],
        [-1n, s, yParity],
        [SECP256K1_ORDER, s, yParity],
        [r + 2n ** 256n, s, yParity],
        [r, SECP256K1_ORDER - s, 1 - yParity],
        [r, SECP256K1_ORDER, yParity],
        [r, s, 2],
        [r, s, 27],
        // No point of the curve has x = 5.
        [5n, s, 0],
      ]
      for (const [badR, badS, badParity] of bad) {
        expect(() => crypto.recover(hash, badR, badS, badParity)).toThrow('invalid sender')
      }
      expect(() => crypto.recover(hash.slice(1), r, s, yParity)).toThrow('invalid hash: expected 32 bytes')
    })

    test('an s at the upper end of the lower half is accepted', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const half = SECP256K1_ORDER >> 1n
      const expected = new secp256k1.Signature(1n, half, 0).recoverPublicKey(hash).toBytes(false).slice(1)
      expect(crypto.recover(hash, 1n, half, 0)).toEqual(expected)
      expect(() => crypto.recover(hash, 1n, half + 1n, 0)).toThrow('invalid sender')
    })

    test('keys out of range are refused', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const bad = [
        new Uint8Array(32),
        bigintToBytes32(SECP256K1_ORDER),
        new Uint8Array(31).fill(1),
        new Uint8Array(33).fill(1),
      ]
      for (const key of bad) {
        expect(() => crypto.sign(hash, key)).toThrow('invalid private key')
        expect(() => crypto.publicKey(key)).toThrow('invalid private key')
      }
      expect(() => crypto.sign(hash.slice(1), bigintToBytes32(1n))).toThrow('invalid hash: expected 32 bytes')
    })

    test('an @ethereumjs transaction signed through it is the same every time', async () => {
      const { Common, Hardfork, Mainnet } = await import('@ethereumjs/common')
      const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague, customCrypto: custom(crypto) })
      const unsigned = createTx({ type: 2, chainId: 1, gasLimit: 21_000, maxFeePerGas: 7 }, { common })
      const [one, two] = [unsigned.sign(bigintToBytes32(1n)), unsigned.sign(bigintToBytes32(1n))]
      expect(bytesToHex(one.hash())).toBe(
        '0x3b6180c80c0a6f667d0319074cd6800e796e2b14e1f8d53da6edb52d461e1848',
      )
      expect(one.serialize()).toEqual(two.serialize())
      expect(one.getSenderAddress().toString()).toBe('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    })

    test('noble signs with options that @ethereumjs does not use', () => {
      const message = Uint8Array.of(1, 2, 3)
      const key = bigintToBytes32(3n)
      const entropy = {
        prehash: false,
        format: 'recovered',
        extraEntropy: new Uint8Array(32).fill(1),
      } as const
      expect(custom(crypto).ecsign(message, key)).toEqual(secp256k1.sign(message, key))
      expect(custom(crypto).ecsign(keccak_256(message), key, entropy)).toEqual(
        secp256k1.sign(keccak_256(message), key, entropy),
      )
    })

    test('ecdsaRecover returns the key with its prefix', () => {
      const hash = keccak_256(Uint8Array.of(1))
      const key = bigintToBytes32(11n)
      const { r, s, yParity } = crypto.sign(hash, key)
      const compact = hexToBytes(
        `${bytesToHex(bigintToBytes32(r))}${bytesToHex(bigintToBytes32(s)).slice(2)}`,
      )
      expect(custom(crypto).ecdsaRecover(compact, yParity, hash)).toEqual(secp256k1.getPublicKey(key, false))
    })
  })

  test('it is loaded once per process', async () => {
    const { loadCrypto } = await freshModule()
    const [one, two] = await Promise.all([loadCrypto(), loadCrypto()])
    expect(two).toBe(one)
    expect(await loadCrypto()).toBe(one)
  })

  test('hashes, recovers and signs in WebAssembly, and leaves no private key in its memory', async () => {
    const real = Reflect.get(globalThis, 'WebAssembly')
    const entered: PropertyKey[] = []
    const memories: Uint8Array[] = []
    const instantiate = async (binary: Uint8Array) => {
      const { instance } = await real.instantiate(binary)
      const { memory, ...exported } = instance.exports
      memories.push(new Uint8Array(memory.buffer))
      const calls = Object.entries(exported).map(([name, run]) => {
        const call = (...args: unknown[]) => {
          entered.push(name)
          return (run as (...args: unknown[]) => unknown)(...args)
        }
        return [name, call]
      })
      return { instance: { exports: { memory, ...Object.fromEntries(calls) } } }
    }
    vi.stubGlobal('WebAssembly', Object.assign(Object.create(real), { instantiate }))
    const { loadCrypto } = await freshModule()
    const crypto = await loadCrypto()

    entered.length = 0
    const hash = crypto.keccak256(Uint8Array.of(1))
    const key = keccak_256(Uint8Array.of(77))
    const { r, s, yParity } = crypto.sign(hash, key)
    crypto.publicKey(key)
    expect(() => crypto.sign(hash, new Uint8Array(32).fill(0xff))).toThrow('invalid private key')
    // Halves of the keys and of what would give one away, in either order of bytes.
    const nonce = nonceOf(hash, key, r, s)
    const nonces = [nonce, SECP256K1_ORDER - nonce].map(bigintToBytes32)
    for (const secret of [key, ...nonces, new Uint8Array(32).fill(0xff)]) {
      for (const bytes of [secret.subarray(0, 16), secret.toReversed().subarray(0, 16)]) {
        expect(memories.map((memory) => indexOf(memory, bytes))).toEqual([-1, -1])
      }
    }
    expect(memories.map((memory) => indexOf(memory, hash) >= 0)).toEqual([true, true])
    crypto.recover(hash, r, s, yParity)
    expect(entered).toEqual(['finish', 'sign', 'publicKey', 'sign', 'recover'])
  })

  test('if WebAssembly is refused, it is compiled once, and the reason is printed once', async () => {
    const { reason, refuse, warn } = refuseWebAssembly()
    const { loadCrypto } = await freshModule()
    await loadCrypto()
    await loadCrypto()
    expect(refuse).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls).toEqual([
      [
        'preseal: WebAssembly cannot be loaded, so hashes and signatures are computed in JavaScript, which is slower. ' +
          "A Content-Security-Policy allows WebAssembly by 'wasm-unsafe-eval' in script-src. The reason:",
        reason,
      ],
    ])
  })

  test('nothing is printed if WebAssembly is available', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { loadCrypto } = await freshModule()
    await loadCrypto()
    expect(warn.mock.calls).toEqual([])
  })
})
