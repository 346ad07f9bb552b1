// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Selfdestructs in its first call.
contract Mortal {
    constructor() payable {}

    function die(address payable heir) external {
        selfdestruct(heir);
    }
}

/// Cannot be created.
contract Stillborn {
    constructor() {
        revert("stillborn");
    }
}

/// Makes every kind of call, mostly to itself, for tests of traces.
contract Nest {
    uint256 public word;

    event Entered(uint256 indexed depth, bytes data);

    error Refused(uint256 code);

    receive() external payable {}

    function leaf(uint256 n) public payable returns (uint256) {
        word = n;
        emit Entered(n, "leaf");
        return n + 1;
    }

    function peek() external view returns (uint256) {
        return word;
    }

    function refuse(uint256 code) external {
        emit Entered(code, "refused");
        revert Refused(code);
    }

    function refuseString() external pure {
        revert("no way");
    }

    function panic(uint256 n) external pure returns (uint256) {
        return 1 / (n - n);
    }

    function burn() external pure {
        while (true) {}
    }

    function invalid() external pure {
        assembly ("memory-safe") {
            invalid()
        }
    }

    /// Calls `other`, which calls this again, until `depth` is used up; the innermost reverts.
    function dive(Nest other, uint256 depth) external {
        emit Entered(depth, "dive");
        if (depth == 0) revert Refused(0);
        try other.dive(this, depth - 1) {} catch {}
        emit Entered(depth, "surface");
    }

    /// A call of each kind.
    function calls(Nest other) external payable {
        emit Entered(0, "calls");
        other.leaf{value: 1}(7);
        other.peek();
        (bool ok,) = address(other).delegatecall(abi.encodeCall(this.leaf, (8)));
        bytes memory data = abi.encodeCall(this.leaf, (9));
        assembly ("memory-safe") {
            ok := callcode(gas(), other, 2, add(data, 32), mload(data), 0, 0)
        }
        payable(address(other)).transfer(3);
        emit Entered(1, "calls");
    }

    /// Calls that fail, without a revert of the caller.
    function failures(Nest other) external payable {
        try other.refuse(42) {} catch {}
        try other.refuseString() {} catch {}
        try other.panic(1) {} catch {}
        try other.burn{gas: 5000}() {} catch {}
        try other.invalid{gas: 5000}() {} catch {}
        try other.leaf{value: 1 ether}(1) {} catch {}
        // A static call must not write.
        (bool ok,) = address(other).staticcall(abi.encodeCall(this.leaf, (1)));
        try new Stillborn() {} catch {}
        ok;
        emit Entered(2, "failures");
    }

    /// Precompiles, and an account that does not exist.
    function precompiles() external payable returns (bytes32 digest) {
        digest = sha256("preseal");
        (bool ok,) = address(4).call{value: 1}("identity");
        (ok,) = address(0xdead).call("nobody");
        (ok,) = address(6).staticcall(hex"ff");
    }

    /// Creates a contract each by CREATE and CREATE2, and destroys them.
    function creations(address payable heir) external payable returns (address, address) {
        Mortal first = new Mortal{value: 5}();
        Mortal second = new Mortal{salt: bytes32(uint256(1))}();
        first.die(heir);
        second.die(heir);
        return (address(first), address(second));
    }

    /// Everything above.
    function everything(Nest other, address payable heir) external payable {
        this.calls{value: 6}(other);
        this.failures(other);
        this.precompiles{value: 1}();
        this.creations{value: 5}(heir);
        this.dive(other, 3);
    }
}

/// Logs to the console of Hardhat and Foundry.
contract Talker {
    address private constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;

    uint256 public said;

    function _say(bytes memory payload) private view {
        (bool ok,) = CONSOLE.staticcall(payload);
        ok;
    }

    function say(string calldata text, uint256 number) external {
        _say(abi.encodeWithSignature("log(string,uint256)", text, number));
        said += 1;
    }

    function sayAndRevert(string calldata text) external view {
        _say(abi.encodeWithSignature("log(string)", text));
        revert("said enough");
    }

    /// Logs any payload unchanged.
    function sayRaw(bytes calldata payload) external {
        _say(payload);
        said += 1;
    }
}
