import { FrameCodes } from '../../ethereum/evm/watch.ts'
